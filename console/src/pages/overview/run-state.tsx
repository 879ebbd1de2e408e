import { Tag } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { Run } from './use-overview.ts'

const useWords = defineWords(
  {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
  },
  {
    queued: '排队中',
    running: '运行中',
    waiting: '等待回复',
    succeeded: '成功',
    failed: '失败',
    stopped: '已停止',
  },
)

const colors = {
  queued: 'default',
  running: 'processing',
  waiting: 'gold',
  succeeded: 'green',
  failed: 'red',
  stopped: 'default',
} as const

export function RunState({ status }: { status: Run['status'] }) {
  const words = useWords()
  return <Tag color={colors[status]}>{words[status]}</Tag>
}
