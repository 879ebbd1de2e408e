import type { Span } from './passage-blocks.ts'

const kept = /[\p{L}\p{N}]/u

/**
 * The letters and digits of a text with their positions. The document readers and the Markdown renderer leave both
 * unchanged.
 */
export function lettersOf(text: string): { letters: string; places: number[] } {
  const places: number[] = []
  let letters = ''
  let at = 0
  for (const character of text) {
    if (kept.test(character)) {
      letters += character
      for (let unit = 0; unit < character.length; unit++) places.push(at + unit)
    }
    at += character.length
  }
  return { letters, places }
}

/** List markers, which are not part of the rendered text. */
const sign = /^\s*(?:[-*+•]|\d{1,9}[.)])\s+/

const linesOf = (passage: string): string[] =>
  passage
    .split('\n')
    .map(line => lettersOf(line.replace(sign, '')).letters)
    .filter(line => line !== '')

/** The occurrence of a part that is nearest to a place. */
function nearest(text: string, part: string, near: number): number | undefined {
  const before = text.lastIndexOf(part, near)
  const after = text.indexOf(part, near)
  if (before < 0 || after < 0) return before < 0 && after < 0 ? undefined : Math.max(before, after)
  return near - before <= after - near ? before : after
}

/** Maximum number of lines that are tried as the starting point. */
const maxAnchors = 12
/** Maximum letters between two lines of a passage that do not belong to it, such as a label of an image. */
const slack = 60

/** Extends a match from one line to the lines after and before it, as long as they follow closely. */
function extend(
  text: string,
  lines: readonly string[],
  anchor: number,
  at: number,
): Span & { found: number } {
  const span = { from: at, to: at + lines[anchor]!.length, found: lines[anchor]!.length }
  let room = slack
  for (const line of lines.slice(anchor + 1)) {
    const next = text.slice(span.to, span.to + room + line.length).indexOf(line)
    if (next < 0) room += line.length
    else {
      span.to += next + line.length
      span.found += line.length
      room = slack
    }
  }
  room = slack
  for (const line of lines.slice(0, anchor).reverse()) {
    const start = Math.max(0, span.from - room - line.length)
    const next = text.slice(start, span.from).lastIndexOf(line)
    if (next < 0) room += line.length
    else {
      span.from = start + next
      span.found += line.length
      room = slack
    }
  }
  return span
}

/**
 * The position of a passage in a text of letters and digits. Other lines may be in between, and some lines of the
 * passage may be missing, because it can repeat the header of a long table. `share` is its approximate position, from 0
 * to 1.
 */
export function findPassage(letters: string, passage: string, share: number): Span | undefined {
  const lines = linesOf(passage)
  const near = Math.round(letters.length * share)
  const whole = lines.join('')
  if (whole === '') return undefined
  const at = nearest(letters, whole, near)
  if (at !== undefined) return { from: at, to: at + whole.length }
  let best: (Span & { found: number }) | undefined
  const longest = lines
    .map((line, index) => ({ line, index }))
    .sort((one, other) => other.line.length - one.line.length)
  for (const { line, index } of longest.slice(0, maxAnchors)) {
    const place = nearest(letters, line, near)
    const found = place === undefined ? undefined : extend(letters, lines, index, place)
    if (found && (!best || found.found > best.found)) best = found
  }
  // A match of only a few common words does not count.
  return best && best.found * 2 >= whole.length ? { from: best.from, to: best.to } : undefined
}
