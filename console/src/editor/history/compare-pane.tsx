import { Select } from 'antd'
import { useMemo } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { defineWords } from '../../ui/words.ts'
import { diffGraphs } from '../model/diff-graphs.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { DifferenceDrawing } from './difference-drawing.tsx'
import { DifferenceList } from './difference-list.tsx'
import { RollBackButton } from './roll-back-button.tsx'
import type { Side } from './side.ts'
import { useGraphOf, type VersionItem } from './use-versions.ts'

const useWords = defineWords(
  {
    from: 'Changes from',
    to: 'to',
    fromLabel: 'Compare from',
    toLabel: 'Compare to',
    now: 'current draft',
    version: (version: number) => `version ${version}`,
    difference: 'Difference',
  },
  {
    from: '比较：从',
    to: '到',
    fromLabel: '比较的起点',
    toLabel: '比较的终点',
    now: '当前编辑的内容',
    version: (version: number) => `版本 ${version}`,
    difference: '差异',
  },
)

interface ComparePaneProps {
  from: Side
  to: Side
  items: readonly VersionItem[]
  onFrom(side: Side): void
  onTo(side: Side): void
  onRolledBack(): void
}

/** What differs between two versions, drawn and in words. */
export function ComparePane({ from, to, items, onFrom, onTo, onRolledBack }: ComparePaneProps) {
  const words = useWords()
  const { mayWrite } = useWorkflowEditor()
  const before = useGraphOf(from)
  const after = useGraphOf(to)
  const difference = useMemo(
    () => (before.graph && after.graph ? diffGraphs(before.graph, after.graph) : undefined),
    [before.graph, after.graph],
  )
  const options: { value: Side; label: string }[] = [
    { value: 'now', label: words.now },
    ...items.map(({ version }) => ({ value: version, label: words.version(version) })),
  ]
  const error = before.error ?? after.error
  return (
    <section className="compare" aria-label={words.difference}>
      <div className="compare-head">
        <span>{words.from}</span>
        <Select
          aria-label={words.fromLabel}
          value={from}
          onChange={onFrom}
          options={options}
          popupMatchSelectWidth={false}
        />
        <span>{words.to}</span>
        <Select
          aria-label={words.toLabel}
          value={to}
          onChange={onTo}
          options={options}
          popupMatchSelectWidth={false}
        />
        {mayWrite && from !== 'now' && before.graph && (
          <RollBackButton key={from} version={from} graph={before.graph} onDone={onRolledBack} />
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
      {difference && before.graph && after.graph ? (
        <>
          <DifferenceDrawing before={before.graph} after={after.graph} difference={difference} />
          <DifferenceList difference={difference} after={after.graph} before={before.graph} />
        </>
      ) : (
        error === undefined && <Loading />
      )}
    </section>
  )
}
