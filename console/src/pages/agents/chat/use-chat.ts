import { useEffect, useState, useSyncExternalStore } from 'react'
import { chatApi } from './chat-api.ts'
import { ChatSession } from './chat-session.ts'
import { type ChatState, showMilliseconds } from './chat-state.ts'

/** Tells of changes no more often than can be shown, and always of the last one. */
function throttled(session: ChatSession): (listener: () => void) => () => void {
  return listener => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = session.subscribe(() => {
      timer ??= setTimeout(
        () => {
          timer = undefined
          listener()
        },
        showMilliseconds(session.read().turns.at(-1)),
      )
    })
    return () => {
      clearTimeout(timer)
      leave()
    }
  }
}

/** A chat with an agent: how it stands, and what can be done. */
export function useChat(
  agentId: string,
  conversationId: string | undefined,
  canTalk: boolean,
): { session: ChatSession; state: ChatState } {
  const [{ session, subscribe }] = useState(() => {
    const made = new ChatSession(chatApi(agentId))
    return { session: made, subscribe: throttled(made) }
  })
  const state = useSyncExternalStore(subscribe, session.read)
  useEffect(() => {
    void session.open(conversationId, { canTalk })
  }, [session, conversationId, canTalk])
  useEffect(() => () => session.close(), [session])
  return { session, state }
}
