import { ApiFailure } from '../../../api/api-failure.ts'
import type { ServerEvent } from '../../../api/stream.ts'

/** So often in a row a broken connection is taken up again before a person is asked. */
const mostBreaks = 6

interface Listening {
  /** Sends the turn, or sends it again to hear what follows this event. */
  open: (lastEventId: string | undefined) => AsyncIterable<ServerEvent>
  onEvent: (event: ServerEvent) => void
  /** Waits before the connection is taken up for the nth time. */
  pause: (breaks: number) => Promise<void>
  signal: AbortSignal
}

/** A server that stops tells so in place of the end; the turn goes on elsewhere or when it is back. */
const isBreak = ({ event, data }: ServerEvent): boolean =>
  event === 'end' &&
  data['reason'] === 'unavailable' &&
  !(Array.isArray(data['feedback']) && data['feedback'].length > 0)

/** What the server refused it refuses again; what broke on the way may be taken up. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiFailure) || error.reason === 'unreachable' || error.reason === 'unavailable'

/** Hears a turn to its end over as many connections as it takes. A turn keeps its id, so that it is said only once. */
export async function listenToTurn({ open, onEvent, pause, signal }: Listening): Promise<void> {
  let lastEventId: string | undefined
  let breaks = 0
  for (;;) {
    let failure: unknown
    try {
      for await (const event of open(lastEventId)) {
        if (isBreak(event)) break
        onEvent(event)
        if (event.event === 'end') return
        if (event.id !== '') lastEventId = event.id
        breaks = 0
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!mayPass(error)) throw error
      failure = error
    }
    signal.throwIfAborted()
    breaks += 1
    if (breaks >= mostBreaks)
      throw failure instanceof ApiFailure
        ? failure
        : new ApiFailure('The server cannot be reached', { reason: 'unreachable' })
    await pause(breaks)
    signal.throwIfAborted()
  }
}

/** Says a turn that nobody wants to hear. Once the server has begun with it, it goes on by itself. */
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
