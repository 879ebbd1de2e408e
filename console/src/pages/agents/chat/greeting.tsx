import { Button } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { AgentMark } from '../agent-mark.tsx'
import type { ChatAgent } from './chat-agent.ts'

const useWords = defineWords(
  { begin: 'Send a message to start.', questions: 'Suggested questions' },
  { begin: '发送消息开始对话。', questions: '推荐问题' },
)

/** What stands before the first message. */
export function Greeting({
  agent,
  onAsk,
}: {
  agent: ChatAgent
  /** Undefined once something was said. */
  onAsk: ((question: string) => void) | undefined
}) {
  const words = useWords()
  const questions = agent.questions.filter(question => question.trim() !== '')
  if (agent.prologue.trim() === '' && !onAsk) return null
  return (
    <div className="greeting">
      <AgentMark name={agent.name} isLarge />
      <h2>{agent.name}</h2>
      <p className={agent.prologue === '' ? 'soft' : 'plain-text'}>{agent.prologue || words.begin}</p>
      {onAsk && questions.length > 0 && (
        <fieldset className="options" aria-label={words.questions}>
          {questions.map(question => (
            <Button key={question} onClick={() => onAsk(question)}>
              {question}
            </Button>
          ))}
        </fieldset>
      )}
    </div>
  )
}
