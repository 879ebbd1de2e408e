import type { TextAreaRef } from 'antd/es/input/TextArea'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Failure } from '../../../ui/failure.tsx'
import { useTellFailure } from '../../../ui/use-tell-failure.ts'
import { defineWords } from '../../../ui/words.ts'
import type { ChatAgent } from './chat-agent.ts'
import { ChatLog, type ChatLogHandle } from './chat-log.tsx'
import { isLive } from './chat-state.ts'
import type { ChatTurn, Rating } from './chat-turns.ts'
import type { Citation } from './citation-marks.ts'
import { Composer } from './composer.tsx'
import { DropZone } from './drop-zone.tsx'
import { PassageDrawer } from './passage-drawer.tsx'
import { useAttachments } from './use-attachments.ts'
import { useChat } from './use-chat.ts'

const useWords = defineWords(
  {
    drop: 'Drop files here to attach them',
    readOnly: 'View only: you cannot send messages in this conversation.',
  },
  { drop: '拖到这里即可添加文件', readOnly: '仅可查看，不能在这个对话中发送消息。' },
)

interface ChatProps {
  agent: ChatAgent
  conversationId: string | undefined
  canTalk: boolean
  /** A first message has made this conversation. */
  onConversation?: (conversationId: string) => void
  /** An answer has ended: lists of conversations are old now. */
  onAnswered?: () => void
  autoFocus?: boolean
}

/** A conversation with an agent: on a page of its own, as a preview, or only to be read. */
export function Chat({
  agent,
  conversationId,
  canTalk,
  onConversation,
  onAnswered,
  autoFocus = false,
}: ChatProps) {
  const words = useWords()
  const tell = useTellFailure()
  const { session, state } = useChat(agent.id, conversationId, canTalk)
  const files = useAttachments()
  const input = useRef<TextAreaRef>(null)
  const log = useRef<ChatLogHandle>(null)
  const [cited, setCited] = useState<Citation>()
  const isAnswering = isLive(state.turns.at(-1))
  useEndOfAnswer(isAnswering, onAnswered)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation begins at its end, ready to be typed in
  useEffect(() => {
    if (autoFocus) input.current?.focus()
    log.current?.goToEnd()
  }, [conversationId, autoFocus])

  const carry = useCallback(
    async (sending: Promise<string | undefined>): Promise<void> => {
      log.current?.goToEnd()
      input.current?.focus()
      const id = await sending.catch(tell)
      if (id === undefined) onAnswered?.()
      else if (id !== conversationId) onConversation?.(id)
    },
    [conversationId, onConversation, onAnswered, tell],
  )
  const say = useCallback(
    (content: string) => void carry(session.send({ type: 'text', content, fileIds: [] })),
    [carry, session],
  )
  const again = useCallback((turn: ChatTurn) => void carry(session.sendAgain(turn)), [carry, session])
  const actions = useMemo(() => {
    const rate = (id: string, rating: Rating | null, comment?: string): Promise<void> =>
      session.rate(id, rating, comment)
    return { rate: canTalk ? rate : undefined, cite: setCited }
  }, [session, canTalk])

  if (state.loadError !== undefined)
    return <Failure error={state.loadError} onRetry={() => session.open(conversationId, { canTalk })} />
  return (
    <DropZone isOn={canTalk} label={words.drop} onFiles={files.add}>
      <ChatLog
        ref={log}
        agent={agent}
        state={state}
        onOlder={() => session.loadOlder().catch(tell)}
        onSay={canTalk ? say : undefined}
        onAgain={canTalk ? again : undefined}
        actions={actions}
      />
      {canTalk ? (
        <Composer
          agentName={agent.name}
          input={input}
          files={files}
          isAnswering={isAnswering}
          isReady={!state.isLoading}
          onSend={outgoing => carry(session.send(outgoing))}
          onStop={() => session.stop().catch(tell)}
        />
      ) : (
        <p className="soft small read-only">{words.readOnly}</p>
      )}
      <PassageDrawer citation={cited} onClose={() => setCited(undefined)} />
    </DropZone>
  )
}

/** Tells when an answer has ended. */
function useEndOfAnswer(isAnswering: boolean, onEnd: (() => void) | undefined): void {
  const was = useRef(false)
  useEffect(() => {
    if (was.current && !isAnswering) onEnd?.()
    was.current = isAnswering
  }, [isAnswering, onEnd])
}
