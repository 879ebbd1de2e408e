import { EventSourceParserStream } from 'eventsource-parser/stream'
import { failureFrom } from './api-failure.ts'
import { send } from './call.ts'
import type { CallInput, OperationKey } from './operations.ts'

export interface ServerEvent {
  id: string
  event: string
  data: Record<string, unknown>
}

/** Calls an operation that responds with server-sent events (with `stream: 1` in the body if it has this field). */
export async function* stream<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): AsyncGenerator<ServerEvent> {
  const response = await send(key, input, 'text/event-stream')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw failureFrom(await response.json(), response)
  yield* readEvents(response)
}

/** The events of a text/event-stream answer as they arrive. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const { id = '', event = 'message', data } = value
      yield { id, event, data: JSON.parse(data) as Record<string, unknown> }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
