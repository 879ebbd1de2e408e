import { App, Button, Popconfirm } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { defineWords } from '../../ui/words.ts'
import type { Graph } from '../model/graph.ts'
import { isConflict, tagOf } from '../saving/workflow-ports.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'

const useWords = defineWords(
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

/** Makes an old graph the newest version. Undo gives the graph of before back. */
export function RollBackButton({ version, graph, onDone }: RollBackButtonProps) {
  const words = useWords()
  const tellFailure = useTellFailure()
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
      if (!isConflict(error)) return tellFailure(error)
      // Nobody has seen what would be rolled back: it is taken in, and the person decides once more.
      await saving.refresh().then(() => message.info(words.again, 6), tellFailure)
    } finally {
      setIsBusy(false)
    }
  }
  const reason =
    saving.version === version ? words.isNewest : saving.status !== 'saved' ? words.wait : undefined
  return (
    <Popconfirm
      title={words.title(version)}
      description={<div className="roll-back-about">{words.about(saving.version)}</div>}
      okText={words.rollBack}
      cancelText={words.cancel}
      onConfirm={rollBack}
      // One that is disabled while it works would not close any more.
      disabled={reason !== undefined && !isBusy}
    >
      <Button className="roll-back" disabled={reason !== undefined} loading={isBusy} title={reason}>
        {words.rollBack}
      </Button>
    </Popconfirm>
  )
}
