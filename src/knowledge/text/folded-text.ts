import { simplify } from './fold-text.ts'

/** A text as it is compared, and where each of its units stands in the text as it was written. */
export interface FoldedText {
  text: string
  startOf(index: number): number
  endOf(index: number): number
}

/** Marks that join the character before them: accents, parts of Hangul, half-width voicing. */
const joining = /[\u0300-\u036f\u1100-\u11ff\uff9e\uff9f]/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function foldedText(written: string): FoldedText {
  const folded = simplify(written.normalize('NFKC'))
  // Without joining marks nothing gets shorter, so equal lengths mean that everything kept its place.
  if (folded.length === written.length && !joining.test(written))
    return { text: folded, startOf: index => index, endOf: index => index + 1 }
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { segment, index } of graphemes.segment(written)) {
    const part = simplify(segment.normalize('NFKC'))
    text += part
    for (let unit = 0; unit < part.length; unit++) {
      starts.push(index)
      ends.push(index + segment.length)
    }
  }
  return { text, startOf: index => starts[index]!, endOf: index => ends[index]! }
}
