import type { ReactNode } from 'react'
import { defineWords } from '../../ui/words.ts'
import { FieldName } from '../history/field-name.tsx'
import { showText } from '../history/show-text.ts'
import type { GraphEdge, GraphNode } from '../model/graph.ts'
import type { MergeConflict } from '../model/merge-graphs.ts'
import type { MergeChoice } from '../model/merge-item.ts'
import { isRecord, member, sameJson } from '../model/same-json.ts'
import { useNodeTitle } from '../panels/use-node-title.ts'

const useWords = defineWords(
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
  /** The switch between both. */
  children(title: string): ReactNode
}

/** One thing that both changed, with each side's fields where they differ. */
export function ConflictSides({ conflict, choice, children }: ConflictSidesProps) {
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
  const words = useWords()
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
  const words = useWords()
  const value: unknown = conflict[side]
  const other: unknown = conflict[side === 'mine' ? 'theirs' : 'mine']
  return (
    <div className="conflict-side" data-chosen={choice === side || undefined}>
      <div className="conflict-name">
        {words[side]}
        {choice === side && <span className="badge">{words.kept}</span>}
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

/** Fields that clash; where one side removed it, all that the other has. */
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
