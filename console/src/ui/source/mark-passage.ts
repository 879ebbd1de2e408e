import type { Element, ElementContent, Root, RootContent } from 'hast'
import { findPassage, lettersOf } from '../passage/find-passage.ts'
import type { Span } from '../passage/passage-blocks.ts'

interface TextPart {
  /** The position of the node's letters among those of the whole text. */
  from: number
  places: number[]
}

const markOf = (value: string): Element => ({
  type: 'element',
  tagName: 'mark',
  properties: { className: ['source-mark'] },
  children: [{ type: 'text', value }],
})

/**
 * A rehype plugin: the text of the passage is marked wherever it stands, in paragraphs, lists, tables and code. A
 * document without it stays as it is.
 */
export const markPassage = (passage: string, share: number) => () => (tree: Root) => {
  const parts = new Map<ElementContent | RootContent, TextPart>()
  let letters = ''
  const collect = (node: Root | ElementContent | RootContent): void => {
    if (node.type === 'text') {
      const found = lettersOf(node.value)
      parts.set(node, { from: letters.length, places: found.places })
      letters += found.letters
    } else if ('children' in node) for (const child of node.children) collect(child)
  }
  collect(tree)
  const span = findPassage(letters, passage, share)
  if (!span) return tree
  return { ...tree, children: tree.children.flatMap(child => marked(child, parts, span)) as RootContent[] }
}

function marked<Content extends ElementContent | RootContent>(
  node: Content,
  parts: ReadonlyMap<ElementContent | RootContent, TextPart>,
  span: Span,
): (Content | ElementContent)[] {
  if (node.type === 'element') {
    const children = node.children.flatMap(child => marked(child, parts, span))
    const isMarked = children.some(child => child.type === 'element' && child.tagName === 'mark')
    // Syntax colours would be computed from the plain text and lose the marks.
    const properties = isMarked && node.tagName === 'code' ? {} : node.properties
    return [{ ...node, properties, children }]
  }
  if (node.type !== 'text') return [node]
  const { from, places } = parts.get(node)!
  const first = places[Math.max(0, span.from - from)]
  const end = Math.min(places.length, span.to - from)
  if (first === undefined || end <= Math.max(0, span.from - from)) return [node]
  // Punctuation at the ends, such as a full stop, belongs to the passage.
  const start = span.from <= from ? 0 : first
  const stop = end === places.length ? node.value.length : places[end - 1]! + 1
  const text = (value: string): ElementContent[] => (value === '' ? [] : [{ type: 'text', value }])
  return [
    ...text(node.value.slice(0, start)),
    markOf(node.value.slice(start, stop)),
    ...text(node.value.slice(stop)),
  ]
}
