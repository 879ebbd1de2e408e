import { DocumentFailure } from '../../document-failure.ts'
import {
  everyLanguage,
  fitsWesternAlphabet,
  type Language,
  type Likelihood,
  likelihood,
} from './language-likelihood.ts'

const encodings: [encoding: string, languages: readonly Language[]][] = [
  ['gb18030', ['simplified', 'traditional']],
  ['utf-8', everyLanguage],
  ['utf-16le', everyLanguage],
  ['utf-16be', everyLanguage],
  ['big5', ['traditional']],
  ['shift_jis', ['japanese']],
  ['euc-jp', ['japanese']],
  ['euc-kr', ['korean']],
  ['windows-1252', ['western']],
  ['windows-1251', ['cyrillic']],
  ['koi8-r', ['cyrillic']],
  ['iso-8859-5', ['cyrillic']],
  ['ibm866', ['cyrillic']],
  ['windows-1253', ['greek']],
]

const headBytes = 256 * 1024
const middleBytes = 64 * 1024
const maxLineSearch = 4096

/** Below this mean a text is implausible. The characters of a small alphabet are each more likely. */
const minMean = (encoding: string): number =>
  /^(windows-1251|koi8-r|iso-8859-5|ibm866|windows-1253)$/.test(encoding) ? -2.1 : -4.3
/** The minimum lead of the best candidate over the second, as a power of ten. */
const minLead = 2
/** Bonus for Chinese: short texts give little evidence, and text that is not Unicode is mostly Chinese. */
const chineseBonus = 1
/** One replacement character per this many characters is tolerated. */
const charactersPerDamage = 200

/** A character boundary in every encoding: a line feed byte is never part of another character. */
const afterLineBreak = (bytes: Uint8Array, from: number): number => {
  const found = bytes.subarray(from, from + maxLineSearch).indexOf(0x0a)
  return found < 0 ? from : from + found + 1
}

/** The sample starts near the first byte beyond ASCII, since ASCII gives no evidence. */
const samplesOf = (bytes: Uint8Array): Uint8Array[] => {
  const firstNonAscii = bytes.findIndex(byte => byte >= 0x80)
  // A multiple of four keeps UTF-16 aligned; all bytes before are ASCII, so no character is split.
  const start = firstNonAscii < headBytes ? 0 : firstNonAscii - (firstNonAscii % 4)
  const end = Math.min(bytes.length, start + headBytes)
  const middle = end + Math.floor((bytes.length - end) / 2)
  if (bytes.length - end < middleBytes * 2) return [bytes.subarray(start, end)]
  const from = afterLineBreak(bytes, middle)
  return [bytes.subarray(start, end), bytes.subarray(from, from + middleBytes)]
}

const isWide = (encoding: string): boolean => encoding.startsWith('utf-16')

/** Penalty for a candidate in which the end of the sample truncates a character. */
const truncationPenalty = -4

/** Drops a character that is truncated by the end of the sample, since more bytes may follow. */
const decodeSample = (samples: Uint8Array[], encoding: string): { text: string; cut: boolean } => {
  // Line breaks are two bytes there, so the middle sample would be misaligned half of the time.
  const used = isWide(encoding) ? samples.slice(0, 1) : samples
  let cut = false
  const texts = used.map(sample => {
    const decoder = new TextDecoder(encoding)
    const text = decoder.decode(sample, { stream: true })
    if (decoder.decode() !== '') cut = true
    return text
  })
  return { text: texts.join('\n'), cut }
}

const isDamaged = (text: string): boolean => {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++
  return count * charactersPerDamage > text.length
}

interface Candidate {
  encoding: string
  text: string
  found: Likelihood
  total: number
}

const impossibleInWide = /[\u0000-\u0008\u000b\u000e-\u001a\u007f-\u0084\ufffd\uffff]/

const isPlausible = ({ encoding, text, found }: Candidate): boolean => {
  if (isWide(encoding) ? impossibleInWide.test(text) : isDamaged(text)) return false
  // The bytes are not all ASCII, so a candidate that drops the others as truncated is wrong.
  if (found.beyondAscii === 0) return isWide(encoding)
  // UTF-8 is so strict that many characters cannot be valid by chance.
  if (encoding === 'utf-8') return found.beyondAscii >= 10
  if (found.mean < minMean(encoding)) return false
  return encoding !== 'windows-1252' || fitsWesternAlphabet(text)
}

const rankedCandidates = (bytes: Uint8Array): Candidate[] => {
  const samples = samplesOf(bytes)
  const holdsNul = samples.some(sample => sample.includes(0))
  return encodings
    .filter(([encoding]) => isWide(encoding) || !holdsNul)
    .map(([encoding, languages]) => {
      const { text, cut } = decodeSample(samples, encoding)
      const found = languages
        .map(language => likelihood(text, language))
        .reduce((left, right) => (right.total > left.total ? right : left))
      const bonus = (encoding === 'gb18030' ? chineseBonus : 0) + (cut ? truncationPenalty : 0)
      return { encoding, text, found, total: found.total + bonus }
    })
    .sort((left, right) => right.total - left.total)
}

/** The encoding that yields by far the most likely text, or `undefined` if none stands out. */
const guessEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, ...others] = rankedCandidates(bytes)
  if (!first || !isPlausible(first)) return undefined
  const second = others.find(isPlausible)
  return second && first.total - second.total < minLead ? undefined : first.encoding
}

/** The encoding that an HTML or XML document declares near its start. */
export const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  const found =
    /^\s*<\?xml[^>]{0,200}\sencoding=["']([\w.:-]{1,40})["']/i.exec(head) ??
    /<meta[^>]{0,300}\bcharset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(head)
  return found?.[1]
}

const supported = 'UTF-8, UTF-16, GB18030 (GBK), Big5, Shift_JIS, EUC-JP, EUC-KR, windows-1251, 1252 or 1253'

const unknownEncoding = (): DocumentFailure =>
  new DocumentFailure(
    'unknown_encoding',
    `The encoding of the text was not recognized. Save the file as UTF-8 and upload it again. Supported: ${supported}.`,
  )

const notText = (): DocumentFailure =>
  new DocumentFailure('unsupported_format', 'The file contains binary data instead of text.')

/** UTF-32 starts with the mark of UTF-16, so it is tested first. */
const byteOrderMarks: [encoding: string, bytes: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['gb18030', [0x84, 0x31, 0x95, 0x33]],
]

/** Decodes as a stream, so that a character truncated by the end of the file is dropped. */
const decodeAs = (bytes: Uint8Array, encoding: string): string =>
  new TextDecoder(encoding).decode(bytes, { stream: true }).replace(/^\ufeff/, '')

/** Undefined if it is not UTF-8. A character truncated by the end of the file is dropped. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])

/** Logs contain a few control characters; binary data contains many, and is not UTF-8 by chance. */
const maxControls = { utf8: 0.05, other: 0.005 }

/** The share of control characters; 1 if one of them is NUL, which no text contains. */
const controlShare = (bytes: Uint8Array): number => {
  let count = 0
  // The end-of-file character of old systems.
  const end = bytes.at(-1) === 0x1a ? bytes.length - 1 : bytes.length
  for (let index = 0; index < end; index++) {
    const byte = bytes[index]!
    if (byte === 0) return 1
    if ((byte < 0x20 && !textControls.has(byte)) || byte === 0x7f) count++
  }
  return count / (bytes.length || 1)
}

const checked = (text: string): string => {
  if (isDamaged(text)) throw unknownEncoding()
  return text
}

const decodeByMark = (bytes: Uint8Array): string | undefined => {
  const [encoding] =
    byteOrderMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? []
  if (encoding === undefined) return undefined
  if (encoding === 'utf-32') throw unknownEncoding()
  const text = checked(decodeAs(bytes, encoding))
  if (text.includes('\0')) throw notText()
  return text
}

/** ISO-2022-JP is valid ASCII; only its escape sequences reveal it. */
const isShiftedJapanese = (bytes: Uint8Array): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.includes('\x1b$B') || buffer.includes('\x1b$@')
}

/** How much more likely another encoding must be than the declared one, as a power of ten. */
const minLeadOverDeclared = 6

/** Templates and servers declare encodings that the text does not have, such as ISO-8859-1 for Chinese. */
const isDeclaredWrongly = (bytes: Uint8Array, declared: string): boolean => {
  const { encoding } = new TextDecoder(declared)
  const ranked = rankedCandidates(bytes)
  const own = ranked.find(each => each.encoding === (encoding === 'gbk' ? 'gb18030' : encoding))
  const best = ranked.find(isPlausible)
  if (!own || !best || best === own) return false
  return !isPlausible(own) || best.total - own.total > minLeadOverDeclared
}

const decodeDeclared = (bytes: Uint8Array, declared: string): string | undefined => {
  try {
    const text = decodeAs(bytes, declared)
    return isDamaged(text) || isDeclaredWrongly(bytes, declared) ? undefined : text
  } catch {
    // The name is unknown, so the content decides.
    return undefined
  }
}

/**
 * Decodes text in the encoding that its content implies. Ambiguous text is rejected, because wrongly decoded text would
 * be stored, searched and cited unnoticed. `declared` is the encoding that the document itself names: it is used if the
 * bytes are valid in it, are not UTF-8, and no other encoding is far more likely.
 */
export const decodeText = (bytes: Uint8Array, declared?: string): string => {
  const marked = decodeByMark(bytes)
  if (marked !== undefined) return marked
  const controls = controlShare(bytes)
  const binary = controls > maxControls.other
  const unicode = controls > maxControls.utf8 ? undefined : decodeUtf8(bytes)
  // One high byte at the end of ASCII may also be the last letter of a Western text.
  const isTruncatedAscii = unicode?.length === bytes.length - 1 && bytes.at(-1)! >= 0xc0
  if (unicode !== undefined && !isTruncatedAscii)
    return unicode.length === bytes.length && isShiftedJapanese(bytes)
      ? decodeAs(bytes, 'iso-2022-jp')
      : unicode
  const asDeclared = declared === undefined || binary ? undefined : decodeDeclared(bytes, declared)
  if (asDeclared !== undefined) return asDeclared
  const guess = guessEncoding(bytes)
  if (guess !== undefined && (!binary || guess.startsWith('utf-16'))) return checked(decodeAs(bytes, guess))
  if (isTruncatedAscii) return unicode!
  throw binary ? notText() : unknownEncoding()
}

/** The encoding of texts with one or two bytes per character, which may be too short to tell; see `decodeText`. */
export const encodingOfBytes = (bytes: Uint8Array, declared?: string): string | undefined => {
  if (decodeUtf8(bytes) !== undefined) return 'utf-8'
  if (declared !== undefined && decodeDeclared(bytes, declared) !== undefined) return declared
  const guess = guessEncoding(bytes)
  return guess === undefined || isWide(guess) ? declared : guess
}
