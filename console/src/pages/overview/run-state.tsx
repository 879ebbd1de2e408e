import { Badge, type Tone } from '../../ui/badge.tsx'
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

const tones: Readonly<Record<Run['status'], Tone>> = {
  queued: 'plain',
  running: 'info',
  waiting: 'warning',
  succeeded: 'good',
  failed: 'bad',
  stopped: 'plain',
}

export function RunState({ status }: { status: Run['status'] }) {
  const words = useWords()
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}
