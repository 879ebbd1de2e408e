import { countTokens } from './count-tokens.ts'

const graphemes = new Intl.Segmenter('zh', { granularity: 'grapheme' })

const lineEnd = /\n+/g
/** Between ASCII characters a comma may be part of a number; the end of a clause has white space after it. */
const clauseEnd = /[，、；：。！？…—]+["”’」』）]*\s*|[,;:.!?]["')\]]*\s+/g
const wordEnd = /\s+/g

function* endsOf(text: string, pattern: RegExp): Generator<number> {
  for (const match of text.matchAll(pattern)) yield match.index + match[0].length
  yield text.length
}

/** ASCII, kana and Han without anything that could join: here every place is between two characters. */
const plain = /^[\x20-\x7e\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u9fff\uff01-\uff60]*$/
/** Long enough to be quick, short enough for the smallest size. */
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

/** From the gentlest cut to the hardest. The last is for letters with thousands of marks on them. */
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

/**
 * Parts of at most `size` tokens: by lines, clauses, words, and only then anywhere between two characters as people
 * see them. Joined they are the text again. Parts are a good deal smaller than `size`, so that they fill chunks well.
 */
export const splitLongText = (text: string, size: number): Generator<string> =>
  cut(text, size, Math.max(1, Math.floor(size / 4)), 0)
