import {
  CheckCircleFilled,
  CloseCircleFilled,
  ExclamationCircleFilled,
  WarningFilled,
} from '@ant-design/icons'
import { defineWords } from '../../ui/words.ts'
import { type CheckFinding, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { FindingText } from './finding-text.tsx'
import { pointerBelow, segmentsOf } from './fits-shape.ts'
import { placeInData } from './use-checks.ts'
import { useNodeTitle } from './use-node-title.ts'
import './check-list.css'

const useWords = defineWords(
  {
    title: 'Checks',
    good: 'The workflow is ready to run.',
    goodHint: 'All required settings are filled in and all references are valid.',
    first: 'Checking…',
    error: 'Prevents saving',
    blocking: 'Prevents running',
    warning: 'Warnings',
    whole: 'Entire workflow',
    summary: (count: number, runnable: boolean) =>
      `${count} ${count === 1 ? 'problem' : 'problems'}. ${runnable ? 'The workflow is ready to run.' : 'The workflow cannot run yet.'}`,
  },
  {
    title: '检查',
    good: '工作流可以运行。',
    goodHint: '必填设置齐全，所有引用都有效。',
    first: '正在检查…',
    error: '无法保存',
    blocking: '修复后才能运行',
    warning: '警告',
    whole: '整个工作流',
    summary: (count: number, runnable: boolean) =>
      `${count} 个问题。${runnable ? '工作流可以运行。' : '工作流还不能运行。'}`,
  },
)

const icons = {
  error: <CloseCircleFilled />,
  blocking: <ExclamationCircleFilled />,
  warning: <WarningFilled />,
}
const severities = ['error', 'blocking', 'warning'] as const

/** The problems found by the server, each linking to its node; `onShow` opens its settings. */
export function CheckList({ onShow }: { onShow?: () => void }) {
  const words = useWords()
  const { checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const ids = new Set(graph.nodes.map(node => node.id))
  // The last result stays until the next one, except for deleted nodes.
  const findings = checks.findings.filter(({ nodeId }) => nodeId === undefined || ids.has(nodeId))
  return (
    <section className="check-list" aria-label={words.title}>
      <div role="status" aria-live="polite">
        <CheckSummary findings={findings} />
      </div>
      {severities.map(severity => (
        <Group
          key={severity}
          severity={severity}
          findings={findings.filter(each => each.severity === severity)}
          onShow={onShow}
        />
      ))}
    </section>
  )
}

function CheckSummary({ findings }: { findings: readonly CheckFinding[] }) {
  const words = useWords()
  const { checks } = useWorkflowEditor()
  if (findings.length > 0)
    return <p className="soft small hint">{words.summary(findings.length, checks.runnable)}</p>
  if (!checks.runnable) return checks.isPending ? <p className="soft hint">{words.first}</p> : null
  return (
    <div className="check-good">
      <CheckCircleFilled />
      <div>
        <p>{words.good}</p>
        <p className="soft small">{words.goodHint}</p>
      </div>
    </div>
  )
}

interface GroupProps {
  severity: CheckFinding['severity']
  findings: CheckFinding[]
  onShow: (() => void) | undefined
}

function Group({ severity, findings, onShow }: GroupProps) {
  const words = useWords()
  if (findings.length === 0) return null
  return (
    <div className={`check-group ${severity}`}>
      <h3>{words[severity]}</h3>
      <ul>
        {findings.map(finding => (
          <li key={`${finding.path} ${finding.message}`}>
            <FindingLine finding={finding} onShow={onShow} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function FindingLine({ finding, onShow }: { finding: CheckFinding; onShow: GroupProps['onShow'] }) {
  const words = useWords()
  const titleOf = useNodeTitle()
  const { showNode, store } = useWorkflowEditor()
  const { graph } = useEditorState()
  const node = graph.nodes.find(each => each.id === finding.nodeId)
  const content = (
    <>
      {icons[finding.severity]}
      <span>
        <b>{node ? titleOf(node) : words.whole}</b> <FindingText finding={finding} />
      </span>
    </>
  )
  if (!node) return <div className="check-line">{content}</div>
  const show = (): void => {
    showNode(node.id)
    if (finding.edge !== undefined) store.select([], [finding.edge])
    onShow?.()
    focusField(node.id, placeInData(finding))
  }
  return (
    <button type="button" className="check-line" onClick={show}>
      {content}
    </button>
  )
}

const controls = '.cm-content, textarea, input, select, button:not(.field-help)'
const focusTimeoutMilliseconds = 1500

/**
 * Focuses the field at a pointer of the selected node's form, or the nearest one above it. Waits briefly for
 * the panel to render.
 */
function focusField(nodeId: string, place: string | undefined): void {
  const until = performance.now() + focusTimeoutMilliseconds
  const places = place === undefined ? [] : placesUpwards(place)
  const look = (): void => {
    const panel = document.querySelector(`[data-panel-of="${CSS.escape(nodeId)}"]`)
    const field = panel && firstAt(panel, places)
    // The editor of a text may still be loading.
    const isLoading = field?.querySelector('[aria-busy=true]') != null
    if (field && !isLoading) reveal(field)
    else if (isLoading || performance.now() < until) requestAnimationFrame(look)
  }
  if (places.length > 0) requestAnimationFrame(look)
}

function placesUpwards(place: string): string[] {
  const segments = segmentsOf(place)
  return segments.map((_, index) => segments.slice(0, segments.length - index).reduce(pointerBelow, ''))
}

function firstAt(panel: Element, places: readonly string[]): HTMLElement | undefined {
  for (const place of places) {
    const found = panel.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`)
    if (found) return found
  }
  return undefined
}

function reveal(field: HTMLElement): void {
  const folded = field.closest('details')
  if (folded) folded.open = true
  const control = field.querySelector<HTMLElement>(controls)
  control?.focus({ preventScroll: true })
  field.scrollIntoView({ block: 'center' })
}
