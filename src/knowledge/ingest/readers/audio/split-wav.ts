const wordAt = (view: DataView, at: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))

interface Wav {
  /** The bytes of the `fmt ` chunk. */
  format: Uint8Array
  data: Uint8Array
  /** Bytes of one sample of all channels, and of a second. */
  frame: number
  second: number
}

const chunkHead = 8
const partHead = 12 + chunkHead + chunkHead

/** Undefined if it is not WAV. A size of 0 or beyond the end, as recorders write it, means up to the end. */
const parseWav = (bytes: Uint8Array): Wav | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.byteLength < 12 || wordAt(view, 0) !== 'RIFF' || wordAt(view, 8) !== 'WAVE') return undefined
  let format: Uint8Array | undefined
  for (let at = 12; at + chunkHead <= bytes.byteLength; ) {
    const start = at + chunkHead
    const size = view.getUint32(at + 4, true)
    const name = wordAt(view, at)
    if (name === 'fmt ' && size >= 16 && start + size <= bytes.byteLength)
      format = bytes.subarray(start, start + size)
    if (name === 'data' && format) {
      const formatAt = format.byteOffset - bytes.byteOffset
      const second = view.getUint32(formatAt + 8, true)
      const frame = view.getUint16(formatAt + 12, true)
      if (frame === 0 || second < frame) return undefined
      return { format, data: bytes.subarray(start, size === 0 ? undefined : start + size), frame, second }
    }
    at = start + size + (size % 2)
  }
  return undefined
}

/** Windows of a tenth of a second, in the last seconds of a part. */
const windowsPerSecond = 10
const secondsToSearch = 8

/** The quietest moment before the end, so that no word is cut in two. Loudness is judged by the high bytes of samples. */
const quietEnd = ({ data, frame, second }: Wav, from: number, end: number): number => {
  const window = Math.max(frame, Math.floor(second / windowsPerSecond / frame) * frame)
  let best = end
  let least = Number.POSITIVE_INFINITY
  for (let at = end - window; at > Math.max(from, end - secondsToSearch * second); at -= window) {
    let loudness = 0
    for (let byte = at + 1; byte < at + window; byte += frame) loudness += Math.abs((data[byte]! << 24) >> 24)
    if (loudness < least) {
      least = loudness
      best = at
    }
  }
  return best
}

const partOf = ({ format }: Wav, data: Uint8Array): Uint8Array<ArrayBuffer> => {
  const part = new Uint8Array(partHead + format.byteLength + data.byteLength)
  const view = new DataView(part.buffer)
  const write = (at: number, word: string): void => part.set(Buffer.from(word, 'latin1'), at)
  const dataAt = 12 + chunkHead + format.byteLength
  write(0, 'RIFF')
  view.setUint32(4, part.byteLength - chunkHead, true)
  write(8, 'WAVE')
  write(12, 'fmt ')
  view.setUint32(16, format.byteLength, true)
  part.set(format, 12 + chunkHead)
  write(dataAt, 'data')
  view.setUint32(dataAt + 4, data.byteLength, true)
  part.set(data, dataAt + chunkHead)
  return part
}

/** The parts of a WAV recording, each at most `maxBytes` long and playable alone. None if it cannot be split. */
export function* splitWav(bytes: Uint8Array, maxBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  const wav = parseWav(bytes)
  if (!wav) return
  const room = Math.floor((maxBytes - partHead - wav.format.byteLength) / wav.frame) * wav.frame
  if (room <= 0) return
  for (let from = 0; from < wav.data.byteLength; ) {
    const full = from + room
    const end = full >= wav.data.byteLength ? wav.data.byteLength : quietEnd(wav, from, full)
    yield partOf(wav, wav.data.subarray(from, end))
    from = end
  }
}
