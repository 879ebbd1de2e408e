import type { Element, ElementContent, Root, RootContent } from 'hast'

/**
 * [1], [1, 2], and the full-width brackets of Chinese answers: the same marks that the server counts as
 * citations.
 */
const mark = /[[【]\s*(\d{1,4}(?:\s*[,，、;；]\s*\d{1,4})*)\s*[\]】]/g

type MarkedPart = { text: string } | { indexes: number[] }

/** A text split at its marks. Numbers without a passage stay text. */
export function splitAtMarks(text: string, known: ReadonlySet<number>): MarkedPart[] {
  const parts: MarkedPart[] = []
  let from = 0
  for (const match of text.matchAll(mark)) {
    const indexes = match[1]!
      .split(/\D+/)
      .map(Number)
      .filter(index => known.has(index))
    if (indexes.length === 0) continue
    if (match.index > from) parts.push({ text: text.slice(from, match.index) })
    parts.push({ indexes })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

export const hasMarks = (text: string): boolean => text.search(mark) >= 0

/** Brackets inside these elements are not citations. */
const leftAlone = new Set(['code', 'pre', 'a'])

const markElement = (indexes: number[]): Element => ({
  type: 'element',
  tagName: 'cite',
  properties: { dataIndexes: indexes.join(',') },
  children: [],
})

function marked<Content extends ElementContent | RootContent>(
  children: readonly Content[],
  known: ReadonlySet<number>,
): (Content | ElementContent)[] {
  return children.flatMap((child): (Content | ElementContent)[] => {
    if (child.type === 'element')
      return leftAlone.has(child.tagName)
        ? [child]
        : [{ ...child, children: marked(child.children, known) as ElementContent[] }]
    if (child.type !== 'text') return [child]
    return splitAtMarks(child.value, known).map(part =>
      'text' in part ? { type: 'text', value: part.text } : markElement(part.indexes),
    )
  })
}

/** A rehype plugin: marks such as [1] that refer to a known passage become elements. */
export const markCitations = (known: ReadonlySet<number>) => () => (tree: Root) => ({
  ...tree,
  children: marked(tree.children, known) as RootContent[],
})
