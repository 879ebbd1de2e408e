import type { ApiAnswer } from './api-client.ts'

export interface SentEvent {
  id: number
  event: string
  data: ApiAnswer['json']
}

export interface EventReader {
  status: number
  headers: Headers
  /** Everything received before the stream ended, comments included. */
  text(): string
  /** The next event; undefined after the last one. */
  next(): Promise<SentEvent | undefined>
  /** The remaining events. */
  rest(): Promise<SentEvent[]>
  /** Whether the server ended the response properly; known once `rest` has resolved. */
  isWhole(): boolean
  /** Closes the connection abruptly. */
  leave(): Promise<void>
}

function parse(block: string): SentEvent | undefined {
  const [, id, event, data] = /^id: (\d+)\nevent: (\S+)\ndata: (.*)$/.exec(block) ?? []
  return data === undefined ? undefined : { id: Number(id), event: event!, data: JSON.parse(data) }
}

/** Sends a request whose response is an event stream, and reads the events one by one as they arrive. */
export async function openEvents(
  base: string,
  path: string,
  { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const gone = new AbortController()
  const response = await fetch(`${base}/api/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: gone.signal,
  })
  const decoder = new TextDecoder()
  let [all, unread, isWhole] = ['', '', false]
  async function* read(): AsyncGenerator<SentEvent> {
    try {
      for await (const chunk of response.body ?? []) {
        const text = decoder.decode(chunk, { stream: true })
        all += text
        unread += text
        for (let at = unread.indexOf('\n\n'); at >= 0; at = unread.indexOf('\n\n')) {
          const event = parse(unread.slice(0, at))
          unread = unread.slice(at + 2)
          if (event) yield event
        }
      }
      isWhole = true
    } catch {
      // The connection was closed by either side; see `isWhole`.
    }
  }
  const events = read()
  return {
    status: response.status,
    headers: response.headers,
    text: () => all,
    next: async () => {
      const next = await events.next()
      return next.done ? undefined : next.value
    },
    rest: async () => {
      const rest: SentEvent[] = []
      for await (const event of events) rest.push(event)
      return rest
    },
    isWhole: () => isWhole,
    leave: async () => {
      gone.abort()
      await events.return(undefined)
    },
  }
}

/** The text of a message or node, as a client assembles it from its deltas. */
export function textOfDeltas(
  events: readonly SentEvent[],
  belongs: (data: SentEvent['data']) => boolean,
): string {
  let text = ''
  for (const { event, data } of events) {
    if (event !== 'node.delta' || !belongs(data)) continue
    text = data.reset ? data.text : text + data.text
  }
  return text
}

/** The same for the replies of a chat: by message, in order of arrival. */
export function repliesOfDeltas(events: readonly SentEvent[]): Map<string, string> {
  const replies = new Map<string, string>()
  for (const { event, data } of events) {
    if (event !== 'delta') continue
    const [{ message_id: id, content }] = data.feedback
    replies.set(id, data.reset ? content : (replies.get(id) ?? '') + content)
  }
  return replies
}
