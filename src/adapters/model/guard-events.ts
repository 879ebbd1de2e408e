type ByteReader = ReadableStreamDefaultReader<Uint8Array>

/** No event of a model is near this; a line without end would fill the memory. */
const maxLineBytes = 1 << 20
/** How long a stream that has said its last word may take to close, so that its connection can be used again. */
const closingMilliseconds = 1000

const longestHead = 16
const blankLine = new TextEncoder().encode('\n\n')

/** Looks at bytes as they pass, without holding any back. */
class LineWatch {
  #length = 0
  #head = ''
  isDone = false

  /** Whether all lines are of a length that can be read. */
  feed(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (byte === 10 || byte === 13) this.endLine()
      else {
        if (this.#length < longestHead) this.#head += String.fromCharCode(byte)
        if (++this.#length > maxLineBytes) return false
      }
    }
    return true
  }

  endLine(): void {
    if (this.#length <= longestHead && /^data: ?\[DONE\]\s*$/.test(this.#head)) this.isDone = true
    this.#head = ''
    this.#length = 0
  }
}

async function drain(reader: ByteReader): Promise<void> {
  const giveUp = (): void => void reader.cancel().catch(() => {})
  const timer = setTimeout(giveUp, closingMilliseconds).unref()
  try {
    while (!(await reader.read()).done);
  } catch {
    // It had said all it had to say.
  } finally {
    clearTimeout(timer)
  }
}

interface Watcher {
  /** The stream said that it is whole. */
  onDone(): unknown
  lineTooLong(): Error
}

/**
 * The events of a model, byte by byte as they come, but never a line that is too long, and nothing after `[DONE]`: a
 * provider need not close the connection then. An event at the end counts even without the empty line behind it.
 */
export function guardEvents(
  source: ReadableStream<Uint8Array>,
  { onDone, lineTooLong }: Watcher,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const lines = new LineWatch()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read()
    if (done) lines.endLine()
    else if (!lines.feed(value)) {
      const failure = lineTooLong()
      void reader.cancel(failure).catch(() => {})
      throw failure
    }
    if (lines.isDone) onDone()
    controller.enqueue(done ? blankLine : value)
    if (!done && !lines.isDone) return
    controller.close()
    if (!done) void drain(reader)
  }
  return new ReadableStream({ pull, cancel: reason => reader.cancel(reason) }, { highWaterMark: 0 })
}
