import type { Section } from './piece.ts'

/** Longer ones are no headings but marked up as such, and would be stored with every chunk. */
const longestHeading = 200
const deepestLevel = 9

const graphemes = new Intl.Segmenter('zh', { granularity: 'grapheme' })

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  if (line.length <= longestHeading) return line
  const start = line.slice(0, longestHeading)
  // The last character may have been cut through.
  const last = [...graphemes.segment(start)].at(-1)
  return `${start.slice(0, last?.index || longestHeading).trimEnd()}…`
}

/** The headings above the place that has been reached. */
export class HeadingPath {
  #levels: { level: number; text: string }[] = []
  section: Section = { path: [] }

  /** A heading closes those of its own level and of deeper ones. */
  enter(level: number, text: string): Section {
    const bounded = Math.min(deepestLevel, Math.max(1, level))
    this.#levels = this.#levels.filter(open => open.level < bounded)
    this.#levels.push({ level: bounded, text: shortened(text) })
    this.section = { path: this.#levels.map(open => open.text) }
    return this.section
  }
}
