import { failureFrom } from './failure-from.ts'
import type { CallInput, OperationKey } from './operations.ts'
import { readEvents, type ServerEvent } from './read-events.ts'
import { send } from './send.ts'

/** Calls an operation that answers event by event (with `stream: 1` in the body where it has one). */
export async function* stream<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): AsyncGenerator<ServerEvent> {
  const response = await send(key, input, 'text/event-stream')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw failureFrom(await response.json(), response)
  yield* readEvents(response)
}
