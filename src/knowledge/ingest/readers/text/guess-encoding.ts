import {
  everyLanguage,
  fitsWesternAlphabet,
  type Language,
  type Likelihood,
  likelihood,
} from './language-likelihood.ts'

/** Encodings with the languages they are used for. */
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
  ['windows-1253', ['greek']],
]

const headBytes = 256 * 1024
const middleBytes = 64 * 1024
const maxLineSearch = 4096

/** Below this mean a text is implausible. The characters of a small alphabet are each more likely. */
const minMean = (encoding: string): number =>
  /^(windows-1251|koi8-r|windows-1253)$/.test(encoding) ? -2.1 : -4.3
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

export const isDamaged = (text: string): boolean => {
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
export const guessEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, ...others] = rankedCandidates(bytes)
  if (!first || !isPlausible(first)) return undefined
  const second = others.find(isPlausible)
  return second && first.total - second.total < minLead ? undefined : first.encoding
}
