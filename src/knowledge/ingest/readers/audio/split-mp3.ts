/** One frame of MPEG audio, layer I to III: a fraction of a second that is decoded almost alone. */
interface Frame {
  at: number
  bytes: number
  seconds: number
  /** From 0 for silence; comparable within a recording. */
  loudness: number
}

const bitrates: Record<string, number[]> = {
  '1 1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1 2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1 3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2 1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2 2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const sampleRates = [44_100, 48_000, 32_000]
const monoMode = 3

const bitsAt = (bytes: Uint8Array, at: number, bit: number, count: number): number => {
  let value = 0
  for (let each = bit; each < bit + count; each++)
    value = value * 2 + (((bytes[at + (each >> 3)] ?? 0) >> (7 - (each & 7))) & 1)
  return value
}

/** The gain of layer III, which stands before the sound and needs no decoding. Other layers count as equally loud. */
const loudnessOf = (bytes: Uint8Array, at: number, isFirstVersion: boolean, isMono: boolean): number => {
  const hasChecksum = (bytes[at + 1]! & 1) === 0
  const side = at + 4 + (hasChecksum ? 2 : 0)
  const granule = isFirstVersion ? (isMono ? 18 : 20) : isMono ? 9 : 10
  return bitsAt(bytes, side, granule, 12) === 0 ? 0 : bitsAt(bytes, side, granule + 21, 8)
}

const frameAt = (bytes: Uint8Array, at: number): Frame | undefined => {
  const kind = bytes[at + 1] ?? 0
  if (bytes[at] !== 0xff || (kind & 0xe0) !== 0xe0) return undefined
  const rate = bytes[at + 2] ?? 0
  const mode = bytes[at + 3] ?? 0
  const version = (kind >> 3) & 3
  const layer = 4 - ((kind >> 1) & 3)
  const isFirstVersion = version === 3
  const kilobits =
    bitrates[`${isFirstVersion ? 1 : 2} ${isFirstVersion ? layer : Math.min(layer, 2)}`]?.[(rate >> 4) - 1]
  const base = sampleRates[(rate >> 2) & 3]
  if (version === 1 || layer > 3 || kilobits === undefined || base === undefined) return undefined
  const hertz = base / (isFirstVersion ? 1 : version === 2 ? 2 : 4)
  const samples = layer === 1 ? 384 : layer === 3 && !isFirstVersion ? 576 : 1152
  const slot = layer === 1 ? 4 : 1
  const padding = (rate >> 1) & 1
  const size = (Math.floor((samples / 8 / slot) * ((kilobits * 1000) / hertz)) + padding) * slot
  const loudness = layer === 3 ? loudnessOf(bytes, at, isFirstVersion, mode >> 6 === monoMode) : 1
  return { at, bytes: size, seconds: samples / hertz, loudness }
}

/** The end of the leading tag with title and cover, which may be larger than the sound. */
const endOfTag = (bytes: Uint8Array): number => {
  if (Buffer.from(bytes.subarray(0, 3)).toString('latin1') !== 'ID3') return 0
  const [flags = 0, ...size] = bytes.subarray(5, 10)
  const footer = flags & 0x10 ? 10 : 0
  return 10 + footer + size.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}

/** Whether a frame is the table of a variable bit rate, which counts all frames and so is wrong in a part. */
const isTable = (bytes: Uint8Array, { at }: Frame): boolean =>
  /Xing|Info|VBRI/.test(Buffer.from(bytes.subarray(at + 4, at + 44)).toString('latin1'))

/** A gap up to this size, such as a tag between two joined recordings, is skipped; a larger one is not a recording. */
const maxGap = 1 << 20

/** The frames in order. A frame counts if another one, or the end, follows it: sound may look like a header. */
function* framesOf(bytes: Uint8Array): Generator<Frame> {
  let end = endOfTag(bytes)
  let isSure = false
  for (let at = end; at < bytes.byteLength && at - end <= maxGap; ) {
    const frame = frameAt(bytes, at)
    const next = frame && at + frame.bytes
    isSure &&= frame !== undefined
    if (frame && next !== undefined && next <= bytes.byteLength && (isSure || frameAt(bytes, next))) {
      isSure = true
      yield frame
      end = next
      at = next
    } else {
      isSure = false
      at++
    }
  }
}

const secondsToSearch = 8
const quietFrames = 5

/** The index at which a part that is full before `frames[end]` should end: in the quietest moment of its last seconds. */
const quietEnd = (frames: Frame[], end: number): number => {
  let best = end
  let least = Number.POSITIVE_INFINITY
  let seconds = 0
  for (let index = end; index > quietFrames && seconds < secondsToSearch; index--) {
    seconds += frames[index]!.seconds
    const loudness = frames.slice(index - quietFrames, index).reduce((sum, frame) => sum + frame.loudness, 0)
    if (loudness >= least) continue
    least = loudness
    best = index - (quietFrames >> 1)
  }
  return best
}

/** The parts of an MP3 recording, each at most `maxBytes` long and playable alone. None if it cannot be split. */
export function* splitMp3(bytes: Uint8Array, maxBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  const frames: Frame[] = []
  for (const frame of framesOf(bytes)) if (frames.length > 0 || !isTable(bytes, frame)) frames.push(frame)
  for (let first = 0; first < frames.length; ) {
    const from = frames[first]!.at
    let end = first
    while (end < frames.length && frames[end]!.at + frames[end]!.bytes - from <= maxBytes) end++
    if (end === first) return
    if (end < frames.length) end = first + quietEnd(frames.slice(first, end + 1), end - first)
    const last = frames[end - 1]!
    yield bytes.slice(from, last.at + last.bytes) as Uint8Array<ArrayBuffer>
    first = end
  }
}
