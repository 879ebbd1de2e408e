export interface ServerEvent {
  id: string
  event: string
  data: Record<string, unknown>
}

/** The events of a text/event-stream answer, one by one, as they arrive. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = eventOf(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const found: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    // A line that begins with a colon only keeps the connection awake.
    if (colon < 1) continue
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    found[name] = name === 'data' && found[name] !== undefined ? `${found[name]}\n${value}` : value
  }
  if (found['data'] === undefined) return undefined
  return {
    id: found['id'] ?? '',
    event: found['event'] ?? 'message',
    data: JSON.parse(found['data']) as Record<string, unknown>,
  }
}
