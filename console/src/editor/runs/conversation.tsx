import { lazy, Suspense } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { defineWords } from '../../ui/words.ts'
import { isSettled, type RunView, type Utterance } from './run-view.ts'
import './conversation.css'

const AnswerText = lazy(async () => ({ default: (await import('./answer-text.tsx')).AnswerText }))

const useWords = defineWords(
  {
    said: 'Conversation',
    you: 'Question',
    workflow: 'Answer',
    thinking: 'Running…',
    copy: 'Copy answer',
    silent: 'No output.',
    files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
  },
  {
    said: '对话内容',
    you: '提问',
    workflow: '回答',
    thinking: '正在处理…',
    copy: '复制回答',
    silent: '没有输出内容。',
    files: (count: number) => `${count} 个文件`,
  },
)

/** Question and answers of a run, as they come. */
export function Conversation({ view }: { view: RunView }) {
  const words = useWords()
  const isWorking = !isSettled(view.status)
  const isSpeaking = view.said.some(({ isComplete }) => !isComplete)
  const isSilent = !isWorking && view.status === 'succeeded' && !view.said.some(({ by }) => by === 'run')
  return (
    <section className="said" aria-label={words.said} aria-live="polite" aria-busy={isWorking}>
      {view.said.map(each => (
        <Bubble key={each.id} said={each} />
      ))}
      {isWorking && !isSpeaking && <p className="said-working soft">{words.thinking}</p>}
      {isSilent && <p className="soft small">{words.silent}</p>}
    </section>
  )
}

function Bubble({ said }: { said: Utterance }) {
  const words = useWords()
  const isAnswer = said.by === 'run'
  const plain = <p className="said-plain">{said.text}</p>
  return (
    <article
      className={`said-bubble by-${said.by}${said.isComplete ? '' : ' is-speaking'}`}
      aria-label={isAnswer ? words.workflow : words.you}
    >
      {isAnswer && said.dataType === 'text' ? (
        <Suspense fallback={plain}>
          <AnswerText text={said.text} />
        </Suspense>
      ) : isAnswer ? (
        <pre>{said.text}</pre>
      ) : (
        plain
      )}
      {said.files.length > 0 && (
        <p className="soft small">
          {words.files(said.files.length)}: {said.files.join(', ')}
        </p>
      )}
      {isAnswer && said.isComplete && <CopyButton text={said.text} label={words.copy} size="small" />}
    </article>
  )
}
