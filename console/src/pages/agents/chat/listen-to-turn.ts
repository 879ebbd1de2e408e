import { ApiFailure } from '../../../api/api-failure.ts'
import type { ServerEvent } from '../../../api/stream.ts'

/** Reconnects this often in a row before asking the user. */
const maxReconnects = 6

interface Listening {
  /** Sends the turn, or sends it again to receive the events after this one. */
  open: (lastEventId: string | undefined) => AsyncIterable<ServerEvent>
  onEvent: (event: ServerEvent) => void
  /** Waits before the nth reconnect. */
  pause: (breaks: number) => Promise<void>
  signal: AbortSignal
}

/**
 * A server that shuts down says so instead of ending the turn; the turn continues elsewhere or after the
 * restart.
 */
const isBreak = ({ event, data }: ServerEvent): boolean =>
  event === 'end' &&
  data['reason'] === 'unavailable' &&
  !(Array.isArray(data['feedback']) && data['feedback'].length > 0)

/** Rejected requests fail again; broken connections are retried. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.reason === 'unreachable' || error.reason === 'unavailable'

/** Streams a turn to its end over as many connections as needed. A turn keeps its id, so that it runs only once. */
export async function listenToTurn({ open, onEvent, pause, signal }: Listening): Promise<void> {
  let lastEventId: string | undefined
  let breaks = 0
  let hasEnded = false
  for (;;) {
    let failure: unknown
    try {
      for await (const event of open(lastEventId)) {
        if (isBreak(event)) break
        onEvent(event)
        // Proposed questions may follow.
        hasEnded ||= event.event === 'end'
        if (event.id !== '') lastEventId = event.id
        breaks = 0
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!hasEnded && !mayPass(error)) throw error
      failure = error
    }
    if (hasEnded) return
    signal.throwIfAborted()
    breaks += 1
    if (breaks >= maxReconnects)
      throw failure instanceof ApiFailure
        ? failure
        : new ApiFailure('The server cannot be reached', { reason: 'unreachable' })
    await pause(breaks)
    signal.throwIfAborted()
  }
}

/** Sends a turn without streaming it. Once the server has started it, it runs by itself. */
export async function deliverTurn(
  open: (signal: AbortSignal) => AsyncIterable<ServerEvent>,
  pause: Listening['pause'],
): Promise<void> {
  const begun = new AbortController()
  const { signal } = begun
  const listening = listenToTurn({ open: () => open(signal), onEvent: () => begun.abort(), pause, signal })
  await listening.catch(error => {
    if (!signal.aborted) throw error
  })
}
