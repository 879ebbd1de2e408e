import { Alert, Button } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    title: 'This workflow cannot run yet',
    more: (count: number) => `and ${count} more`,
  },
  {
    title: '这个工作流还不能运行',
    more: (count: number) => `还有 ${count} 处`,
  },
)

const shown = 5

/** Why the Run button is off, each reason leading to its node. */
export function NotRunnable() {
  const words = useWords()
  const { checks, showNode } = useWorkflowEditor()
  const findings = checks.findings.filter(({ severity }) => severity !== 'warning')
  return (
    <Alert
      type="warning"
      showIcon
      title={words.title}
      description={
        <ul className="run-findings">
          {findings.slice(0, shown).map(({ path, message, nodeId }) => (
            <li key={`${path} ${message}`}>
              {nodeId === undefined ? (
                message
              ) : (
                <Button type="link" size="small" onClick={() => showNode(nodeId)}>
                  {nodeId}: {message}
                </Button>
              )}
            </li>
          ))}
          {findings.length > shown && <li>{words.more(findings.length - shown)}</li>}
        </ul>
      }
    />
  )
}
