import { fitsWesternAlphabet, type Language, type Likelihood, likelihood } from './language-likelihood.ts'

const everyLanguage: Language[] = [
  ...(['simplified', 'traditional', 'japanese', 'korean', 'western', 'cyrillic', 'greek'] as const),
]

/** In which encodings each language is met. */
const candidates: { encoding: string; languages: Language[] }[] = [
  { encoding: 'gb18030', languages: ['simplified', 'traditional'] },
  { encoding: 'utf-8', languages: everyLanguage },
  { encoding: 'utf-16le', languages: everyLanguage },
  { encoding: 'utf-16be', languages: everyLanguage },
  { encoding: 'big5', languages: ['traditional'] },
  { encoding: 'shift_jis', languages: ['japanese'] },
  { encoding: 'euc-jp', languages: ['japanese'] },
  { encoding: 'euc-kr', languages: ['korean'] },
  { encoding: 'windows-1252', languages: ['western'] },
  { encoding: 'windows-1251', languages: ['cyrillic'] },
  { encoding: 'koi8-r', languages: ['cyrillic'] },
  { encoding: 'windows-1253', languages: ['greek'] },
]

const headBytes = 256 * 1024
const middleBytes = 64 * 1024
const lookBack = 4096

/** Below this mean a text is no sensible text of its language. An alphabet has fewer characters, each likelier. */
const leastMean = (encoding: string): number =>
  /^(windows-1251|koi8-r|windows-1253)$/.test(encoding) ? -2.1 : -4.3
/** By how much, as a power of ten, the best reading must be likelier than the second. */
const leastLead = 2
/** Short texts hold little proof, and what is not Unicode is Chinese most of the time. */
const chineseFavour = 1
/** One character in so many may be damaged. */
const charactersPerDamage = 200

/** A cut between two characters in any of the encodings: a line break is never a part of another character. */
const afterLineBreak = (bytes: Uint8Array, from: number): number => {
  const found = bytes.subarray(from, from + lookBack).indexOf(0x0a)
  return found < 0 ? from : from + found + 1
}

/** What tells nothing is passed over: the sample begins near the first byte beyond ASCII. */
const samplesOf = (bytes: Uint8Array): Uint8Array[] => {
  const telling = Math.max(
    0,
    bytes.findIndex(byte => byte >= 0x80),
  )
  // A multiple of four keeps UTF-16 in step; what stands before is ASCII, so other encodings cannot be cut.
  const start = telling < headBytes ? 0 : telling - (telling % 4)
  const end = Math.min(bytes.length, start + headBytes)
  const middle = end + Math.floor((bytes.length - end) / 2)
  if (bytes.length - end < middleBytes * 2) return [bytes.subarray(start, end)]
  const from = afterLineBreak(bytes, middle)
  return [bytes.subarray(start, end), bytes.subarray(from, from + middleBytes)]
}

const isWide = (encoding: string): boolean => encoding.startsWith('utf-16')

/** What a character cut off by the end speaks against a reading of the bytes. */
const cutOff = -4

/** A character that the end of the sample cuts is left out, since more could follow. */
const decodeSample = (samples: Uint8Array[], encoding: string): { text: string; cut: boolean } => {
  // Line breaks are two bytes there, so the middle sample would be out of step half of the time.
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

const countDamage = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++
  return count
}

export const isDamaged = (text: string): boolean => countDamage(text) * charactersPerDamage > text.length

interface Reading {
  encoding: string
  text: string
  found: Likelihood
  total: number
}

const impossibleInWide = /[\u0000-\u0008\u000b\u000e-\u001a\u007f-\u0084\ufffd\uffff]/

const isSensible = ({ encoding, text, found }: Reading): boolean => {
  if (isWide(encoding) ? impossibleInWide.test(text) : isDamaged(text)) return false
  // The bytes are not all ASCII; a reading that leaves the others out as cut off is none.
  if (found.beyondAscii === 0) return isWide(encoding)
  // The rules of UTF-8 are so strict that many characters cannot follow them by chance, in any language.
  if (encoding === 'utf-8') return found.beyondAscii >= 10
  if (found.mean < leastMean(encoding)) return false
  return encoding !== 'windows-1252' || fitsWesternAlphabet(text)
}

const best = (found: Likelihood[]): Likelihood =>
  found.reduce((left, right) => (right.total > left.total ? right : left))

const readingsOf = (bytes: Uint8Array): Reading[] => {
  const samples = samplesOf(bytes)
  const holdsNul = samples.some(sample => sample.includes(0))
  return candidates
    .filter(({ encoding }) => isWide(encoding) || !holdsNul)
    .map(({ encoding, languages }) => {
      const { text, cut } = decodeSample(samples, encoding)
      const found = best(languages.map(language => likelihood(text, language)))
      const favour = (encoding === 'gb18030' ? chineseFavour : 0) + (cut ? cutOff : 0)
      return { encoding, text, found, total: found.total + favour }
    })
    .sort((left, right) => right.total - left.total)
}

/** The encoding that makes by far the most likely text of the bytes, or `undefined` when none stands out. */
export const guessEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, ...others] = readingsOf(bytes)
  if (!first || !isSensible(first)) return undefined
  const second = others.find(isSensible)
  return second && first.total - second.total < leastLead ? undefined : first.encoding
}
