import { defineWords } from '../../ui/words.ts'

/** Words for how runs and nodes stand, which the editor and the pages share. */
export const useRunWords = defineWords(
  {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting for an answer',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
    skipped: 'Skipped',
    run: 'Direct run',
    chat: 'Chat',
    debug: 'Single node',
    tokens: (count: number) => (count === 1 ? '1 token' : `${count.toLocaleString('en')} tokens`),
  },
  {
    queued: '排队中',
    running: '运行中',
    waiting: '等待回答',
    succeeded: '成功',
    failed: '失败',
    stopped: '已停止',
    skipped: '已跳过',
    run: '直接运行',
    chat: '对话',
    debug: '单节点',
    tokens: (count: number) => `${count.toLocaleString('en')} 个 token`,
  },
)
