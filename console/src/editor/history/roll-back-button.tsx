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
      `Its graph becomes the newest version. What is there now stays in the history as version ${current}.`,
    cancel: 'Cancel',
    wait: 'Everything has to be saved before you can roll back.',
    isNewest: 'This is the newest version.',
    again: 'Somebody else saved meanwhile. Their changes are here now: look again, then roll back.',
  },
  {
    rollBack: '回滚',
    title: (version: number) => `回滚到版本 ${version}？`,
    about: (current: number) => `该版本的内容会成为最新版本；当前内容仍以版本 ${current} 留在历史中。`,
    cancel: '取消',
    wait: '所有修改保存之后才能回滚。',
    isNewest: '这就是最新版本。',
    again: '其他人刚刚保存了新版本，现已载入其修改。请查看后再回滚。',
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
