import { createParser } from 'eventsource-parser'
import { isRecord } from '../../kernel/is-record.ts'
import { manyDigits, parseKeepingDigits } from '../../kernel/parse-in-pieces.ts'
import { jsonExcess } from '../../tools/json-limits.ts'
import { InvalidRpcMessage } from './tool-server-failure.ts'

/** How soon a server may ask us to connect again. */
const retryRange = { min: 500, max: 30_000 }

const event = (name: string | undefined, id: string | undefined, data: string): string =>
  [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...data.split('\n').map(line => `data: ${line}`),
    '\n',
  ].join('\n')

/** The result of a tool contains data, such as ids, whose digits must not change. A schema has numbers. */
function isToolResult(message: unknown): boolean {
  const result = isRecord(message) && message['result']
  return isRecord(result) && (Object.hasOwn(result, 'content') || Object.hasOwn(result, 'structuredContent'))
}

/** Older servers send several messages in an array, which the SDK expects one by one. */
function messagesIn(data: string): string[] {
  const excess = jsonExcess(data)
  if (excess !== undefined) throw new InvalidRpcMessage(`JSON that is ${excess}`)
  if (!data.startsWith('[') && !manyDigits.test(data)) return [data]
  try {
    const exact = [parseKeepingDigits(data)].flat()
    return [JSON.parse(data)]
      .flat()
      .map((message, at) => JSON.stringify(isToolResult(message) ? exact[at] : message))
  } catch {
    throw new InvalidRpcMessage('something that is not JSON')
  }
}

/**
 * The server-sent events of a body, each of them JSON within our limits. `lastEvent` returns the data of one more event
 * at the end: the SDK does not notice otherwise that a stream ended without the response, and would wait until its
 * timeout.
 */
export async function* checkedEvents(
  body: AsyncIterable<Uint8Array>,
  lastEvent: (failure: unknown, isResumable: boolean) => string | undefined,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let checked = ''
  let isResumable = false
  const parser = createParser({
    onEvent: ({ id, event: name, data }) => {
      isResumable ||= Boolean(id)
      // An endpoint of the older transport is a URL, and empty data only keeps the connection open.
      const isMessage = (name ?? 'message') === 'message' && data.trim() !== ''
      for (const each of isMessage ? messagesIn(data) : [data]) checked += event(name, id, each)
    },
    onRetry: milliseconds => {
      checked += `retry: ${Math.min(Math.max(milliseconds, retryRange.min), retryRange.max)}\n\n`
    },
  })
  const feed = (text: string): Uint8Array => {
    checked = ''
    parser.feed(text)
    return encoder.encode(checked)
  }
  let failure: unknown
  try {
    for await (const bytes of body) yield feed(decoder.decode(bytes, { stream: true }))
    // Some servers omit the last blank line; a connection that broke off is an error before this.
    yield feed('\n\n')
  } catch (error) {
    failure = error
  }
  const last = lastEvent(failure, isResumable)
  if (last !== undefined) yield encoder.encode(event(undefined, undefined, last))
}
