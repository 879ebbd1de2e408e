import traditionalToSimplified from 'opencc-js/dict/TSCharacters'
import { withoutRadicals } from './radicals.ts'

let table: Uint16Array | undefined

/** UTF-16 units only; the few characters outside the basic plane are too rare to matter. */
function simplifiedTable(): Uint16Array {
  const codes = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  for (const pair of traditionalToSimplified.split('|')) {
    const [from = '', to = ''] = pair.split(' ')
    if (from.length === 1 && to.length === 1) codes[from.charCodeAt(0)] = to.charCodeAt(0)
  }
  for (let code = 0x2e80; code < 0x2fe0; code++) {
    const character = withoutRadicals(String.fromCharCode(code))
    if (character.length === 1) codes[code] = codes[character.charCodeAt(0)]!
  }
  return codes
}

const han = /[\u2e80-\uffff]/

/** Maps radicals and traditional characters to simplified ones, so that each finds the others. The length stays the same. */
export function simplify(text: string): string {
  if (!han.test(text)) return text
  table ??= simplifiedTable()
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = table[text.charCodeAt(at)]!
  return Buffer.from(codes.buffer).toString('utf16le')
}

/** Single Chinese characters with one or two spaces between them, as titles and labels of forms are aligned. */
const spacedOut = /(?<!\p{L})\p{Script=Han}(?: {1,2}\p{Script=Han})+(?!\p{L})/gu
/** Finds nothing in most texts, in a fraction of the time. */
const maybeSpacedOut = /(?<![\u3040-\uffff])[\u2e80-\uffff] {1,2}[\u2e80-\uffff](?![\u3040-\uffff])/

/** The places of words such as 会 议 纪 要 in normalized text. */
export const spacedOutWords = (text: string): RegExpExecArray[] =>
  maybeSpacedOut.test(text) ? [...text.matchAll(spacedOut)] : []

/** Normalized text with 会议纪要 for 会 议 纪 要. */
export const joinSpacedOut = (text: string): string =>
  maybeSpacedOut.test(text) ? text.replace(spacedOut, word => word.replaceAll(' ', '')) : text

/**
 * Characters that NFKC can shorten: those that combine with the one before, such as accents, voicing marks and letters
 * of Hangul, also in their half-width forms, and those of two UTF-16 units.
 */
const shortened =
  /[\u0300-\u036f\u0653-\u0655\u093c\u09be-\u0ddf\u102e\u1100-\u11ff\u1b35\u3099\u309a\u3131-\u318e\ud800-\udbff\uff9e-\uffdc]/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

interface FoldedText {
  text: string
  startOf: (index: number) => number
  endOf: (index: number) => number
}

/** The text in its comparable form, with the position of each UTF-16 unit in the original text. */
export function foldedText(original: string): FoldedText {
  const folded = normalizedText(original)
  const words = spacedOutWords(folded.text)
  if (words.length === 0) return folded
  let text = ''
  const kept: number[] = []
  const keep = (from: number, to: number): void => {
    text += folded.text.slice(from, to)
    for (let at = from; at < to; at++) kept.push(at)
  }
  let end = 0
  for (const { 0: word, index } of words) {
    keep(end, index)
    end = index + word.length
    for (let at = index; at < end; at++) if (folded.text[at] !== ' ') keep(at, at + 1)
  }
  keep(end, folded.text.length)
  return {
    text,
    startOf: index => folded.startOf(kept[index]!),
    endOf: index => folded.endOf(kept[index]!),
  }
}

function normalizedText(original: string): FoldedText {
  const folded = simplify(original.normalize('NFKC'))
  // Where nothing gets shorter, equal lengths mean equal positions.
  if (folded.length === original.length && !shortened.test(original))
    return { text: folded, startOf: index => index, endOf: index => index + 1 }
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { segment, index } of graphemes.segment(original)) {
    const part = simplify(segment.normalize('NFKC'))
    text += part
    for (let unit = 0; unit < part.length; unit++) {
      starts.push(index)
      ends.push(index + segment.length)
    }
  }
  return { text, startOf: index => starts[index]!, endOf: index => ends[index]! }
}
