import { stemmer } from 'stemmer'
import { simplify } from './fold-text.ts'

/** Scripts that put no spaces between words, and Hangul, whose words carry endings. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}々〆ー]`
const letter = String.raw`[[\p{L}\p{M}\p{N}]--${unspaced}]`

/**
 * Either a run of an unspaced script, or a word of another one. A word may hold marks between its parts, as in
 * AX-2047-B, v2.1, snake_case or O'Neill, and may end in + or #, as in C++ and C#.
 */
export const runs = new RegExp(
  String.raw`(${unspaced}+)|(${letter}+(?:[\-_.,\/:'’·\&@]${letter}+)*[+\#]{0,2})`,
  'gv',
)

const words = new Intl.Segmenter('zh', { granularity: 'word' })
const latinMarks = /[\u0300-\u036f]/g
const parts = /[-_.,/:'’·&@+#]+/
const asciiWord = /^[a-z]+$/
const isAscii = /^[\x00-\x7f]*$/
/** Longer ones are not words: hashes, encoded data. They are found by their beginning. */
const longestTerm = 64

/** `Résumés` → `resum`: without accents, lower case, and for English without its ending. */
function wordTerm(word: string): string {
  let term = word.toLowerCase()
  if (!isAscii.test(term)) term = term.normalize('NFD').replace(latinMarks, '').normalize('NFC')
  if (term.length > longestTerm) term = term.slice(0, longestTerm)
  return asciiWord.test(term) ? stemmer(term) : term
}

/** Where a word changes from small to capital letters, or between letters and digits: getUserName, AX2047B. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u

function pushTerm(term: string, terms: string[]): void {
  // Of an accent without a letter nothing is left.
  if (term !== '') terms.push(term)
}

function pushPart(part: string, terms: string[]): void {
  pushTerm(wordTerm(part), terms)
  if (part.length < 3 || part.length > longestTerm) return
  const pieces = part.split(humps)
  if (pieces.length > 1) for (const piece of pieces) if (piece.length > 1) pushTerm(wordTerm(piece), terms)
}

/**
 * A word with marks inside is found whole, by its parts, and in any spelling of the marks: AX-2047-B is also
 * AX2047B. A point between digits stays, since 3.14 is not 314; a comma between them does not, since 1,234 is 1234.
 */
function pushWord(word: string, terms: string[]): void {
  if (!parts.test(word)) {
    pushPart(word, terms)
    return
  }
  for (const part of word.split(parts)) if (part !== '') pushPart(part, terms)
  if (/[+#]$/.test(word)) terms.push(word.toLowerCase().slice(-longestTerm))
  const whole = word.replace(/(?<=\p{N})\.(?=\p{N})/gu, '\u0001').replace(/[-_.,/:'’·&@+#]/g, '')
  if (whole.length <= longestTerm) pushTerm(wordTerm(whole.replaceAll('\u0001', '.')), terms)
}

/**
 * Every pair of neighbours, beside the words of `pushUnspacedWords`: the dictionary does not know every name, and
 * where it cuts differently in a question and in a text the pairs still meet. A word of two characters is thereby
 * counted twice, which tells words from accidental pairs; measured, that is worth one question in a hundred.
 */
function pushPairs(run: string, terms: string[]): void {
  for (let at = 0; at + 2 <= run.length; at++) terms.push(run.slice(at, at + 2))
}

/** Words as the dictionary of the engine finds them. All runs in one call: a call costs as much as 50 characters. */
function pushUnspacedWords(unspacedRuns: string[], terms: string[]): void {
  for (const { segment } of words.segment(unspacedRuns.join(' ')))
    if (segment !== ' ') terms.push(segment.length > longestTerm ? segment.slice(0, longestTerm) : segment)
}

/** Most words of a text were met before; working them out again takes ten times as long as looking them up. */
const remembered = new Map<string, string[]>()
const mostRemembered = 20_000

function wordTerms(word: string): string[] {
  let terms = remembered.get(word)
  if (!terms) {
    terms = []
    pushWord(word, terms)
    if (remembered.size >= mostRemembered) remembered.clear()
    if (word.length <= longestTerm) remembered.set(word, terms)
  }
  return terms
}

/** What a text is found by. The same function reads documents and questions; that is what makes them meet. */
export function textTerms(text: string): string[] {
  const terms: string[] = []
  const unspacedRuns: string[] = []
  for (const match of simplify(text.normalize('NFKC')).matchAll(runs)) {
    if (match[1] === undefined) for (const term of wordTerms(match[2]!)) terms.push(term)
    else {
      pushPairs(match[1], terms)
      unspacedRuns.push(match[1])
    }
  }
  if (unspacedRuns.length > 0) pushUnspacedWords(unspacedRuns, terms)
  return terms
}
