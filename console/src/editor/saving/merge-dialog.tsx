import { Alert, Button, Segmented } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { FieldName, showText } from '../history/difference-list.tsx'
import { diffGraphs } from '../model/diff-graphs.ts'
import type { Graph, GraphEdge, GraphNode } from '../model/graph.ts'
import {
  type MergeChoice,
  type MergeChoices,
  type MergeConflict,
  mergeGraphs,
} from '../model/merge-graphs.ts'
import { isRecord, member, sameJson } from '../model/same-json.ts'
import { useNodeTitle } from '../panels/use-node-title.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { downloadGraph } from './rescue-buttons.tsx'
import type { Autosave } from './use-autosave.ts'
import { isConflict } from './workflow-ports.ts'
import './merge-dialog.css'

const useWords = defineWords(
  {
    title: 'Another user saved this workflow in the meantime',
    about:
      'Changes in different places are merged automatically. These items were changed by both of you: choose which version to keep. Both versions stay in the history.',
    mine: 'Mine',
    theirs: 'Theirs',
    all: 'Apply to all',
    each: (name: string) => `Which version of ${name} to keep`,
    save: 'Save merged version',
    download: 'Download my version',
    again: 'Another user saved again just now. Review the choices, then save.',
  },
  {
    title: '其他人刚刚保存了此工作流',
    about:
      '你们在不同位置的修改会自动合并。以下内容双方作了不同的修改，请选择保留哪一个；两个版本都会留在历史记录中。',
    mine: '我的',
    theirs: '对方的',
    all: '全部选择',
    each: (name: string) => `${name}：保留哪一个`,
    save: '保存合并结果',
    download: '下载我的版本',
    again: '刚刚又有人保存了一次，请重新核对选择后再保存。',
  },
)

/** Shows both versions side by side and merges them node by node. */
export function MergeDialog({ autosave }: { autosave: Autosave }) {
  const { conflict } = autosave
  return conflict ? <OpenDialog autosave={autosave} conflict={conflict} /> : null
}

interface OpenDialogProps {
  autosave: Autosave
  conflict: NonNullable<Autosave['conflict']>
}

function OpenDialog({ autosave, conflict }: OpenDialogProps) {
  const words = useWords()
  const { workflowId, name } = useWorkflowEditor()
  const { base, theirs } = conflict
  // Edits made just before may arrive while the dialog is open.
  const { graph: mine } = useEditorState()
  const { conflicts } = useMemo(() => mergeGraphs(base, mine, theirs), [base, mine, theirs])
  const [chosenSides, setChosenSides] = useState<MergeChoices>({})
  const sideOf = (id: string): MergeChoice => (Object.hasOwn(chosenSides, id) ? chosenSides[id]! : 'mine')
  const { isBusy, error, save } = useSaveMerged(autosave)
  const chooseAll = (choice: MergeChoice): void =>
    setChosenSides(Object.fromEntries(conflicts.map(({ id }) => [id, choice])))
  const chosen = new Set(conflicts.map(({ id }) => sideOf(id)))
  const options = [
    { value: 'mine' as const, label: words.mine },
    { value: 'theirs' as const, label: words.theirs },
  ]
  return (
    <Dialog
      open
      width={920}
      title={words.title}
      closable={false}
      keyboard={false}
      footer={[
        <Button key="download" onClick={() => downloadGraph(mine, name || workflowId)}>
          {words.download}
        </Button>,
        <Button key="save" type="primary" loading={isBusy} onClick={() => save(chosenSides)}>
          {words.save}
        </Button>,
      ]}
    >
      <p className="merge-about">{words.about}</p>
      <MergeSummary {...{ base, mine, theirs }} />
      {conflicts.length > 1 && (
        <div className="merge-all">
          <span>{words.all}</span>
          <Segmented<MergeChoice | ''>
            aria-label={words.all}
            options={options}
            value={chosen.size === 1 ? [...chosen][0]! : ''}
            onChange={choice => choice !== '' && chooseAll(choice)}
          />
        </div>
      )}
      {conflicts.map(each => (
        <ConflictSides key={each.id} conflict={each} choice={sideOf(each.id)}>
          {title => (
            <Segmented<MergeChoice>
              aria-label={words.each(title)}
              options={options}
              value={sideOf(each.id)}
              onChange={choice => setChosenSides({ ...chosenSides, [each.id]: choice })}
            />
          )}
        </ConflictSides>
      ))}
      {error !== undefined &&
        (isConflict(error) ? <Alert type="info" showIcon title={words.again} /> : <Failure error={error} />)}
    </Dialog>
  )
}

function useSaveMerged({ resolve }: Autosave) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (choices: MergeChoices): Promise<void> => {
    setIsBusy(true)
    setError(undefined)
    try {
      await resolve(choices)
    } catch (failure) {
      setError(failure)
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, error, save }
}

const useMergeSummaryWords = defineWords(
  {
    mine: (nodes: number, edges: number) =>
      `You changed ${count(nodes, 'node')} and ${count(edges, 'connection')}.`,
    theirs: (nodes: number, edges: number) =>
      `The other user changed ${count(nodes, 'node')} and ${count(edges, 'connection')}.`,
  },
  {
    mine: (nodes: number, edges: number) => `你修改了 ${nodes} 个节点、${edges} 条连线。`,
    theirs: (nodes: number, edges: number) => `对方修改了 ${nodes} 个节点、${edges} 条连线。`,
  },
)

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** How much each side has changed since the common base. */
function MergeSummary({ base, mine, theirs }: { base: Graph; mine: Graph; theirs: Graph }) {
  const words = useMergeSummaryWords()
  const [own, other] = [diffGraphs(base, mine), diffGraphs(base, theirs)]
  return (
    <p className="soft merge-summary">
      {words.mine(own.nodes.length, own.edges.length)} {words.theirs(other.nodes.length, other.edges.length)}
    </p>
  )
}

const useConflictSidesWords = defineWords(
  {
    mine: 'Mine',
    theirs: 'Theirs',
    removed: 'Removed',
    edge: (from: string, to: string) => `Connection from ${from} to ${to}`,
    kept: 'kept',
    unset: '(not set)',
  },
  {
    mine: '我的',
    theirs: '对方的',
    removed: '已删除',
    edge: (from: string, to: string) => `从 ${from} 到 ${to} 的连线`,
    kept: '保留',
    unset: '（未设置）',
  },
)

interface ConflictSidesProps {
  conflict: MergeConflict
  choice: MergeChoice
  /** Renders the choice between the two sides. */
  children(title: string): ReactNode
}

/** One conflict, with each side's fields where they differ. */
function ConflictSides({ conflict, choice, children }: ConflictSidesProps) {
  const title = useTitle()(conflict)
  return (
    <section className="conflict" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {children(title)}
      </header>
      <div className="conflict-sides">
        <Side side="mine" {...{ conflict, choice }} />
        <Side side="theirs" {...{ conflict, choice }} />
      </div>
    </section>
  )
}

function useTitle(): (conflict: MergeConflict) => string {
  const words = useConflictSidesWords()
  const titleOf = useNodeTitle()
  return conflict => {
    if (conflict.of === 'member') return conflict.id.replace(/^graph\./, '')
    const found: unknown = conflict.mine ?? conflict.theirs ?? conflict.base
    if (conflict.of === 'node') return titleOf(found as GraphNode)
    const edge = found as GraphEdge
    return words.edge(edge.source.cell, edge.target.cell)
  }
}

function Side({
  side,
  conflict,
  choice,
}: {
  side: MergeChoice
  conflict: MergeConflict
  choice: MergeChoice
}) {
  const words = useConflictSidesWords()
  const value: unknown = conflict[side]
  const other: unknown = conflict[side === 'mine' ? 'theirs' : 'mine']
  return (
    <div className="conflict-side" data-chosen={choice === side || undefined}>
      <div className="conflict-name">
        {words[side]}
        {choice === side && <Badge tone="good">{words.kept}</Badge>}
      </div>
      {value === undefined ? (
        <p className="soft">{words.removed}</p>
      ) : (
        <dl>
          {fieldsOf(conflict, value, other).map(({ path, value: shown }) => (
            <div key={path.join('.')}>
              <dt>
                <FieldName path={path} kind={kindOf(value)} />
              </dt>
              <dd>{shown === undefined ? words.unset : showText(shown)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

const kindOf = (value: unknown): string | undefined => {
  const data = isRecord(value) ? member(value, 'data') : undefined
  const type = isRecord(data) ? member(data, 'type') : undefined
  return typeof type === 'string' ? type : undefined
}

interface ShownField {
  path: string[]
  value: unknown
}

/** Conflicting fields; if one side removed the item, all fields of the other. */
function fieldsOf(conflict: MergeConflict, value: unknown, other: unknown): ShownField[] {
  if (conflict.of === 'member' || !isRecord(value)) return [{ path: [conflict.id], value }]
  const data = member(value, 'data')
  const all = [
    ...Object.keys(value)
      .filter(name => name !== 'data' || !isRecord(data))
      .map(name => [name]),
    ...(isRecord(data) ? Object.keys(data).map(name => ['data', name]) : []),
  ]
  const clashing = conflict.fields.map(field =>
    field.startsWith('data.') ? ['data', field.slice('data.'.length)] : [field],
  )
  const paths = conflict.fields.length > 0 ? clashing : all
  const at = (side: unknown, path: string[]): unknown =>
    path.reduce<unknown>((held, name) => (isRecord(held) ? member(held, name) : undefined), side)
  return paths
    .filter(path => !sameJson(at(value, path), at(other, path)))
    .map(path => ({ path, value: at(value, path) }))
}
