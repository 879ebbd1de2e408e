import { Badge, Tabs } from 'antd'
import { CheckList } from '../../editor/panels/check-list.tsx'
import { NodePanel } from '../../editor/panels/node-panel.tsx'
import { RunPanel } from '../../editor/runs/run-panel.tsx'
import { useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { useEditorWords } from './editor-words.ts'

export type SideTab = 'settings' | 'checks' | 'run'

/** What belongs to the drawing: the settings of a node, what is wrong, and how it runs. */
export function SidePanel({
  tab,
  isOpen,
  onTab,
}: {
  tab: SideTab
  isOpen: boolean
  onTab(tab: SideTab): void
}) {
  const words = useEditorWords()
  const { checks } = useWorkflowEditor()
  const { findings } = checks
  const hasErrors = findings.some(({ severity }) => severity !== 'warning')
  // Hidden, not removed: a run that is being watched goes on.
  return (
    <aside className="editor-side" aria-label={words.panel} hidden={!isOpen}>
      <Tabs
        activeKey={tab}
        onChange={key => onTab(key as SideTab)}
        items={[
          { key: 'settings', label: words.settings, children: <NodePanel /> },
          {
            key: 'checks',
            label: (
              <span>
                {words.checks}
                {findings.length > 0 && (
                  <Badge
                    className={hasErrors ? 'check-count has-errors' : 'check-count'}
                    count={findings.length}
                    size="small"
                    title={words.problems(findings.length)}
                  />
                )}
              </span>
            ),
            children: <CheckList onShow={() => onTab('settings')} />,
          },
          { key: 'run', label: words.run, children: <RunPanel /> },
        ]}
      />
    </aside>
  )
}
