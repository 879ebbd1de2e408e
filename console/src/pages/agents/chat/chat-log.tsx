import { ArrowDownOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type Ref, useCallback, useImperativeHandle, useRef } from 'react'
import { Loading } from '../../../ui/loading.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { ChatAgent } from './chat-agent.ts'
import { type ChatState, isLive } from './chat-state.ts'
import { type ChatTurn, messagesOf } from './chat-turns.ts'
import { Greeting } from './greeting.tsx'
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
  /** Undefined where one can only read. */
  onSay: ((text: string) => void) | undefined
  onAgain: ((turn: ChatTurn) => void) | undefined
  actions: ReplyActions
}

/** Everything that was said, the newest at the end, older messages as one scrolls up. */
export function ChatLog({ ref, agent, state, onOlder, onSay, onAgain, actions }: ChatLogProps) {
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
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
            <Greeting agent={agent} onAsk={turns.length === 0 ? onSay : undefined} />
          )}
          {turns.map(turn => (
            <TurnView
              key={turn.chatId}
              turn={turn}
              agentName={agent.name}
              onAnswer={onSay}
              onAgain={onAgain}
              actions={actions}
            />
          ))}
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
