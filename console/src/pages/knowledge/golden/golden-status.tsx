import { Badge, type Tone } from '../../../ui/badge.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { GoldenRun } from './golden-data.ts'

type Shown = GoldenRun['status'] | 'some' | 'none'

const useWords = defineWords(
  {
    queued: 'Waiting',
    running: 'Running',
    passed: 'Passed',
    some: 'Not all found',
    none: 'None found',
    lost: 'Questions lost',
    accepted: 'Accepted',
    discarded: 'Discarded',
    failed: 'Failed',
  },
  {
    queued: '等待中',
    running: '运行中',
    passed: '通过',
    some: '未全部找到',
    none: '全部未找到',
    lost: '有问题丢失',
    accepted: '已接受',
    discarded: '已放弃',
    failed: '失败',
  },
)

const tones: Readonly<Record<Shown, Tone>> = {
  queued: 'info',
  running: 'info',
  passed: 'good',
  some: 'warning',
  none: 'bad',
  lost: 'bad',
  accepted: 'good',
  discarded: 'plain',
  failed: 'bad',
}

/** For the server, a run passes if the change loses no questions: also one that finds none, like the run before. */
function shownStatus({ status, hits, total }: GoldenRun): Shown {
  if (status !== 'passed' || hits === total) return status
  return hits === 0 ? 'none' : 'some'
}

export function GoldenStatus({ run }: { run: GoldenRun }) {
  const words = useWords()
  const shown = shownStatus(run)
  return <Badge tone={tones[shown]}>{words[shown]}</Badge>
}
