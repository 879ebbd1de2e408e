import { Alert, Button } from 'antd'
import { useLanguage } from '../../ui/preferences.ts'
import { defineWords } from '../../ui/words.ts'
import { findingText } from '../panels/finding-text.tsx'
import { useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    title: 'This workflow cannot run yet',
    more: (count: number) => `and ${count} more`,
  },
  {
    title: '工作流还不能运行',
    more: (count: number) => `还有 ${count} 处`,
  },
)

const shown = 5

/** Why the Run button is off, each reason leading to its node. */
export function NotRunnable() {
  const words = useWords()
  const { checks, showNode } = useWorkflowEditor()
  const language = useLanguage()
  const findings = checks.findings.filter(({ severity }) => severity !== 'warning')
  return (
    <Alert
      type="warning"
      showIcon
      title={words.title}
      description={
        <ul className="run-findings">
          {findings.slice(0, shown).map(finding => {
            const { path, message, nodeId } = finding
            const text = findingText(language, finding)
            return (
              <li key={`${path} ${message}`}>
                {nodeId === undefined ? (
                  <span>{text}</span>
                ) : (
                  <Button type="link" size="small" onClick={() => showNode(nodeId)}>
                    {nodeId}: {text}
                  </Button>
                )}
              </li>
            )
          })}
          {findings.length > shown && <li>{words.more(findings.length - shown)}</li>}
        </ul>
      }
    />
  )
}
