import { useLanguage } from '../../ui/preferences.ts'
import { explainInLine } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { plainStart } from './run-texts.ts'
import { isSettled, type RunStatus } from './run-view.ts'

const useWords = defineWords(
  { working: 'running', asks: 'waiting for an answer', silent: 'no output' },
  { working: '运行中', asks: '等待回答', silent: '没有输出' },
)

interface Outcome {
  status: RunStatus
  answer: string
  error: { reason: string; message: string } | null
}

/** The outcome of a run in one line. */
export function RunOutcome({ run }: { run: Outcome }) {
  const words = useWords()
  const language = useLanguage()
  const outcome = run.error ? explainInLine(language, run.error) : plainStart(run.answer)
  if (outcome !== '') return <>{outcome}</>
  const instead = isSettled(run.status)
    ? run.status === 'waiting'
      ? words.asks
      : words.silent
    : words.working
  return <span className="soft">{instead}</span>
}
