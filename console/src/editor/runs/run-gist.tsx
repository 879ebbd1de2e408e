import { defineWords } from '../../ui/words.ts'
import { plainStart } from './plain-start.ts'
import { isSettled, type RunStatus } from './run-view.ts'

const useWords = defineWords(
  { working: 'running', asks: 'waiting for an answer', silent: 'no output' },
  { working: '运行中', asks: '等待回答', silent: '没有输出' },
)

interface Gist {
  status: RunStatus
  answer: string
  error: { message: string } | null
}

/** What a run came to, in one line. */
export function RunGist({ run }: { run: Gist }) {
  const words = useWords()
  const told = run.error?.message ?? plainStart(run.answer)
  if (told !== '') return <>{told}</>
  const instead = isSettled(run.status)
    ? run.status === 'waiting'
      ? words.asks
      : words.silent
    : words.working
  return <span className="soft">{instead}</span>
}
