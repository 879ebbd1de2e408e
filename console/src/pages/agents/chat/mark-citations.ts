import type { Element, ElementContent, Root, RootContent } from 'hast'
import { splitAtMarks } from './citation-marks.ts'

/** Brackets inside these elements are no citations. */
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
