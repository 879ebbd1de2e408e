/** Lines of a text that comes in pieces. Its parts are joined once per line, so that a long line stays cheap. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let wasReturn = false
  for await (const bytes of body) {
    let piece = decoder.decode(bytes, { stream: true })
    if (piece === '') continue
    // The line break \r\n may have been cut in two.
    if (wasReturn && piece.startsWith('\n')) piece = piece.slice(1)
    wasReturn = piece.endsWith('\r')
    const [first = '', ...others] = piece.split(/\r\n|\n|\r/)
    parts.push(first)
    for (const next of others) {
      yield parts.join('')
      parts = [next]
    }
  }
  yield parts.join('')
}

/** The data of each message in a stream of server-sent events. */
export async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = []
  let type = 'message'
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0 && type === 'message') yield data.join('\n')
      data = []
      type = 'message'
      continue
    }
    const [, field, value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'event') type = value || 'message'
  }
  // A server that leaves out the last empty line has still said it all: one that broke off is an error before this.
  if (data.length > 0 && type === 'message') yield data.join('\n')
}
