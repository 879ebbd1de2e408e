import { countTokens } from '../../../kernel/count-tokens.ts'

const segmenter = new Intl.Segmenter('zh', { granularity: 'sentence' })

/** Abbreviations that do not end a sentence. Those that often do ("etc.", "Inc.", "No.") are left out. */
const abbreviation =
  /(?:^|[\s("'“‘[])(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|St|Mt|vs|cf|[Ee]\.g|[Ii]\.e|eg|ie|viz|approx|[Ff]igs?|[Ee]qs?|pp?|et al|z\.B|d\.h|bzw)\.\s+$/
/** "J. R. R. Tolkien", "the U.S. Army". */
const initial = /(?:^|[\s.("“])\p{Lu}\.\s*$/u
/** "1. First", "(a) second": a number alone is not a sentence. */
const numbering = /^\s*\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s*$/
/** Length of the longest match before the end of a sentence: a space, "approx." and white space. */
const reach = 16

const asciiEnd = /[.?!]$/
/** Inside a URL or a file name: "https://a.b/c?d=e", "Node.Js". */
const continues = /[A-Za-z0-9_/=&%#+-]/
const endOfLine = /\n\s*$/
const blankLine = /\n[^\S\n]*\n\s*$/
const endBeforeSpace = /[.?!:;。！？：；…‥।۔؟]["'”’»」』）)\]]*\s*$/
const listMark = /[-*•·▪◦–]\s|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、）)]/y
const reference = /\[\d{1,4}\]/y
const space = /\s*/y

const opening = '“‘「『（《〈【〔([{'

const startsListItem = (text: string, at: number): boolean => {
  listMark.lastIndex = at
  return listMark.test(text)
}

/** The segmenter ends a sentence at every line break, but wrapped text continues on the next line. */
const isWrap = (tail: string, text: string, at: number): boolean =>
  endOfLine.test(tail) && !blankLine.test(tail) && !endBeforeSpace.test(tail) && !startsListItem(text, at)

const isFalseEnd = (text: string, start: number, at: number): boolean => {
  const tail = text.slice(Math.max(start, at - reach), at)
  if (asciiEnd.test(tail) && continues.test(text.charAt(at))) return true
  if (isWrap(tail, text, at)) return true
  if (at - start <= reach && numbering.test(tail)) return true
  return tail.includes('.') && (abbreviation.test(tail) || initial.test(tail))
}

/** The segmenter treats every bracket as closing: "他走了。“ | 好”". Opening brackets belong to the next sentence. */
const beforeOpening = (text: string, start: number, at: number): number => {
  let end = at
  while (end > start && opening.includes(text.charAt(end - 1))) end--
  return end
}

/** "…end.[3] Next": a reference belongs to the sentence before it. */
const afterReferences = (text: string, at: number): number => {
  let end = at
  for (reference.lastIndex = at; reference.test(text); ) end = reference.lastIndex
  if (end === at) return at
  space.lastIndex = end
  return space.test(text) ? space.lastIndex : end
}

/** Splits after each match. The joined parts are the text again. */
export function* splitAfter(text: string, pattern: RegExp): Generator<string> {
  let start = 0
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length) yield text.slice(start)
}

const semicolon = /；["”’」』）)]*\s*/g

const splitAtSemicolons = (sentence: string): Iterable<string> =>
  sentence.includes('；') ? splitAfter(sentence, semicolon) : [sentence]

/** The segmenter copies its input, so a text of many megabytes is processed in windows. */
const windowLength = 65_536

function* candidateEnds(text: string): Generator<number> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + windowLength)
    let last = 0
    for (const { index } of segmenter.segment(text.slice(start, end))) {
      if (index > 0) yield start + index
      last = index
    }
    // The last sentence may continue after the window, so the next window starts with it.
    start = last === 0 || end === text.length ? end : start + last
  }
}

/** Sentences with their trailing white space. `Intl.Segmenter` ends some too early; a Chinese semicolon also ends one. */
export function* splitSentences(text: string): Generator<string> {
  let start = 0
  for (const candidate of candidateEnds(text)) {
    const opened = beforeOpening(text, start, candidate)
    if (opened <= start || isFalseEnd(text, start, opened)) continue
    const end = afterReferences(text, opened)
    yield* splitAtSemicolons(text.slice(start, end))
    start = end
  }
  if (start < text.length) yield* splitAtSemicolons(text.slice(start))
}

const graphemes = new Intl.Segmenter('zh', { granularity: 'grapheme' })

const lineEnd = /\n+/g
/** An ASCII comma may be part of a number, so it only ends a clause before white space. */
const clauseEnd = /[，、；：。！？…—]+["”’」』）]*\s*|[,;:.!?]["')\]]*\s+/g
const wordEnd = /\s+/g

function* endsOf(text: string, pattern: RegExp): Generator<number> {
  for (const match of text.matchAll(pattern)) yield match.index + match[0].length
  yield text.length
}

/** Characters that never combine: every position between them is a grapheme boundary. */
const plain = /^[\x20-\x7e\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u9fff\uff01-\uff60]*$/
/** Large enough to be fast, small enough for the smallest chunk size. */
const plainStep = 8

function* graphemeEnds(text: string): Generator<number> {
  if (plain.test(text)) {
    for (let end = plainStep; end < text.length; end += plainStep) yield end
    yield text.length
    return
  }
  for (const { index, segment } of graphemes.segment(text)) yield index + segment.length
}

function* codePointEnds(text: string): Generator<number> {
  let end = 0
  for (const character of text) {
    end += character.length
    yield end
  }
}

/** Boundaries from coarse to fine. The last is for letters with thousands of combining marks. */
const ways: ((text: string) => Iterable<number>)[] = [
  text => endsOf(text, lineEnd),
  text => endsOf(text, clauseEnd),
  text => endsOf(text, wordEnd),
  graphemeEnds,
  codePointEnds,
]

function* cut(text: string, size: number, grain: number, way: number): Generator<string> {
  let start = 0
  let last = 0
  let tokens = 0
  for (const end of ways[way]!(text)) {
    const count = countTokens(text.slice(last, end))
    if (start < last && (tokens + count > grain || count > size)) {
      yield text.slice(start, last)
      start = last
      tokens = 0
    }
    if (count > size && way + 1 < ways.length) {
      yield* cut(text.slice(last, end), size, grain, way + 1)
      start = end
    } else tokens += count
    last = end
  }
  if (start < text.length) yield text.slice(start)
}

/** Parts of at most `size` tokens, split as coarsely as possible; mostly much smaller, so that they fill chunks well. */
export const splitLongText = (text: string, size: number): Generator<string> =>
  cut(text, size, Math.max(1, Math.floor(size / 4)), 0)

export const splitToFit = (text: string, size: number): Iterable<string> =>
  countTokens(text) <= size ? [text] : splitLongText(text, size)

/** Sentences, and parts of sentences that are longer than `size`. */
export function* sentencesWithin(text: string, size: number): Generator<string> {
  for (const sentence of splitSentences(text)) yield* splitToFit(sentence, size)
}
