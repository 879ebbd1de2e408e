import { ArrowDownOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, type Ref, useCallback, useImperativeHandle, useRef } from 'react'
import { AgentMark } from '../../../ui/agent-mark.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { ChatAgent } from './chat-agent.ts'
import { answersQuestion, type ChatState, isLive, type Outgoing } from './chat-state.ts'
import { type ChatTurn, messagesOf } from './chat-turns.ts'
import type { ReplyActions } from './reply-view.tsx'
import { TurnView } from './turn-view.tsx'
import { useStickToEnd } from './use-stick-to-end.ts'

const useWords = defineWords(
  {
    messages: (name: string) => `Conversation with ${name}`,
    toEnd: 'Jump to the latest message',
    older: 'Earlier messages',
  },
  {
    messages: (name: string) => `与 ${name} 的对话`,
    toEnd: '跳到最新消息',
    older: '更早的消息',
  },
)

export interface ChatLogHandle {
  goToEnd(): void
}

interface ChatLogProps {
  ref: Ref<ChatLogHandle>
  agent: ChatAgent
  state: ChatState
  onOlder: () => void
  /** Undefined if read only. */
  onSend: ((text: string) => void) | undefined
  onAgain: ((turn: ChatTurn) => void) | undefined
  onReplace: ((chatId: string, outgoing: Outgoing) => void) | undefined
  readVersion: (chatId: string, version: number) => Promise<readonly ChatTurn[]>
  actions: ReplyActions
  /** Shown after the messages. */
  children?: ReactNode
}

/** All messages, newest at the end; older ones are loaded when scrolling up. */
export function ChatLog({ ref, agent, state, onOlder, onSend, actions, children, ...more }: ChatLogProps) {
  const words = useWords()
  const box = useRef<HTMLDivElement>(null)
  const { turns, hasOlder, isLoading } = state
  const onTop = useCallback(() => {
    if (hasOlder) onOlder()
  }, [hasOlder, onOlder])
  const { onScroll, isAtEnd, goToEnd } = useStickToEnd(
    box,
    turns,
    turns[0] && messagesOf(turns[0])[0]?.id,
    onTop,
  )
  useImperativeHandle(ref, () => ({ goToEnd }), [goToEnd])
  return (
    <>
      <div
        ref={box}
        className="chat-log"
        role="log"
        aria-live="polite"
        aria-label={words.messages(agent.name)}
        aria-busy={isLive(turns.at(-1))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        <div className="chat-inner">
          {hasOlder && (
            <Button type="link" size="small" onClick={onOlder}>
              {words.older}
            </Button>
          )}
          {isLoading && <Loading />}
          {!hasOlder && !isLoading && (
            <Greeting agent={agent} onAsk={turns.length === 0 ? onSend : undefined} />
          )}
          {turns.map((turn, at) => (
            <TurnView
              key={turn.chatId}
              turn={turn}
              isNewest={at === turns.length - 1}
              agentName={agent.name}
              onAnswer={onSend}
              {...more}
              onReplace={answersQuestion(turns, at) ? undefined : more.onReplace}
              actions={actions}
            />
          ))}
          {children}
        </div>
      </div>
      {!isAtEnd && (
        <div className="to-end">
          <Button
            shape="circle"
            icon={<ArrowDownOutlined />}
            aria-label={words.toEnd}
            title={words.toEnd}
            onClick={goToEnd}
          />
        </div>
      )}
    </>
  )
}

const useGreetingWords = defineWords(
  { begin: 'Send a message to start.', questions: 'Suggested questions' },
  { begin: '发送消息开始对话。', questions: '推荐问题' },
)

/** Shown before the first message. */
function Greeting({
  agent,
  onAsk,
}: {
  agent: ChatAgent
  /** Undefined after the first message. */
  onAsk: ((question: string) => void) | undefined
}) {
  const words = useGreetingWords()
  const questions = agent.questions.filter(question => question.trim() !== '')
  if (agent.prologue.trim() === '' && !onAsk) return null
  return (
    <div className="greeting">
      <AgentMark name={agent.name} avatar={agent.avatar} size="large" />
      <h2>{agent.name}</h2>
      {agent.prologue.trim() === '' ? (
        <p className="soft">{words.begin}</p>
      ) : (
        <Markdown text={agent.prologue} />
      )}
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
