export interface StreamedEvent {
  event: string
  data: unknown
}

const separator = /\r?\n\r?\n/

/** The events of a text/event-stream. Comments, which keep the connection open, are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      for (let found = separator.exec(text); found; found = separator.exec(text)) {
        const event = parseEvent(text.slice(0, found.index))
        text = text.slice(found.index + found[0].length)
        if (event === 'done') return
        if (event) yield event
      }
    }
  } finally {
    // A caller that stops reading ends the request.
    await reader.cancel().catch(() => {})
  }
}

function parseEvent(block: string): StreamedEvent | 'done' | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(event|data): ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value!
    if (name === 'data') data.push(value!)
  }
  if (data.length === 0) return undefined
  const text = data.join('\n')
  return text === '[DONE]' ? 'done' : { event, data: JSON.parse(text) as unknown }
}
