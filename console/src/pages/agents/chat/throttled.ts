import type { ChatSession } from './chat-session.ts'
import { showMilliseconds } from './chat-state.ts'

/** Notifies of changes at most once per interval, and always of the last one. */
export function throttled(session: ChatSession): (listener: () => void) => () => void {
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
