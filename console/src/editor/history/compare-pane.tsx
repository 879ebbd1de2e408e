import { App, Button, Select } from 'antd'
import { useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Failure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { defineWords } from '../../ui/words.ts'
import { diffGraphs } from '../model/diff-graphs.ts'
import type { Graph } from '../model/graph.ts'
import { isConflict, tagOf } from '../saving/workflow-ports.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { DifferenceDrawing } from './difference-drawing.tsx'
import { DifferenceList } from './difference-list.tsx'
import { type Side, useGraphOf, type VersionItem } from './use-versions.ts'
import { NoteButton, PublishVersionButton } from './version-actions.tsx'

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

/** The differences between two versions, as a drawing and as a list. */
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
  const item = items.find(({ version }) => version === from)
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
        {mayWrite && from !== 'now' && (
          <div className="version-actions">
            {item && <NoteButton key={`note ${from}`} item={item} />}
            {item && <PublishVersionButton key={`publish ${from}`} item={item} />}
            {before.graph && (
              <RollBackButton key={from} version={from} graph={before.graph} onDone={onRolledBack} />
            )}
          </div>
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

const useRollBackButtonWords = defineWords(
  {
    rollBack: 'Roll back',
    title: (version: number) => `Roll back to version ${version}?`,
    about: (current: number) =>
      `This version’s graph becomes the newest version. The current graph stays in the history as version ${current}.`,
    cancel: 'Cancel',
    wait: 'Save all changes before you roll back.',
    isNewest: 'This is the newest version.',
    again:
      'Another user saved a new version in the meantime, and it has been loaded. Review it, then roll back.',
  },
  {
    rollBack: '回滚',
    title: (version: number) => `回滚到版本 ${version}？`,
    about: (current: number) => `该版本的内容会成为最新版本；当前内容仍以版本 ${current} 留在历史中。`,
    cancel: '取消',
    wait: '请先保存所有修改再回滚。',
    isNewest: '已是最新版本。',
    again: '其他人刚刚保存了新版本，现已载入。请查看后再回滚。',
  },
)

interface RollBackButtonProps {
  version: number
  graph: Graph
  onDone(): void
}

/** Makes an old graph the newest version. Undo restores the previous graph. */
function RollBackButton({ version, graph, onDone }: RollBackButtonProps) {
  const words = useRollBackButtonWords()
  const showFailure = useFailureToast()
  const { message } = App.useApp()
  const { workflowId, saving, store } = useWorkflowEditor()
  const [isBusy, setIsBusy] = useState(false)
  const rollBack = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const answer = await call('POST /api/v1/workflow/rollback', {
        body: { id: workflowId, version },
        headers: { 'if-match': tagOf(saving.version) },
      })
      store.edit({ type: 'graph.replace', graph })
      saving.settle(answer.version)
      onDone()
    } catch (error) {
      if (!isConflict(error)) return showFailure(error)
      // The user has not seen that version yet: it is loaded, and the user decides again.
      await saving.refresh().then(() => message.info(words.again, 6), showFailure)
    } finally {
      setIsBusy(false)
    }
  }
  const reason =
    saving.version === version ? words.isNewest : saving.status !== 'saved' ? words.wait : undefined
  return (
    <Confirm
      title={words.title(version)}
      description={<div className="roll-back-about">{words.about(saving.version)}</div>}
      okText={words.rollBack}
      cancelText={words.cancel}
      onConfirm={rollBack}
      // A disabled popover button would not close any more.
      disabled={reason !== undefined && !isBusy}
    >
      <Button disabled={reason !== undefined} loading={isBusy} title={reason}>
        {words.rollBack}
      </Button>
    </Confirm>
  )
}
