import type { Element, ElementContent, Root, RootContent } from 'hast'
import type { ToolCall } from './chat-turns.ts'

/**
 * [1], [1, 2], and the full-width brackets of Chinese answers: the same marks that the server counts as
 * citations.
 */
const mark = /[[【]\s*(\d{1,4}(?:\s*[,，、;；]\s*\d{1,4})*)\s*[\]】]/g

type MarkedPart = { text: string } | { indexes: number[] }

export interface Citation {
  index: number
  knowledge_id: string
  file_id: string
  file_name: string
  chunk_id: string
  content: string
  score?: number
  heading?: string
  page?: number
  last_page?: number
  /** The address of a web page. */
  source_url?: string
  cited?: boolean
}

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

interface RunNode {
  outputs: unknown
}

const needed = ['content', 'knowledge_id', 'file_id', 'file_name', 'chunk_id'] as const

/** Anything else is no link. */
const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** A run may output anything under these names: invalid citations and details are ignored. */
function citationsIn(value: unknown): Citation[] {
  if (typeof value !== 'object' || value === null) return []
  const { score, heading, page, last_page, source_url, ...found } = value as Record<string, unknown>
  if (!Number.isSafeInteger(found['index']) || needed.some(name => typeof found[name] !== 'string')) return []
  const details = {
    ...(typeof score === 'number' && { score }),
    ...(typeof heading === 'string' && { heading }),
    ...(typeof page === 'number' && { page }),
    ...(typeof last_page === 'number' && { last_page }),
    ...(isWebUrl(source_url) && { source_url }),
  }
  return [{ ...(found as unknown as Citation), ...details }]
}

/** The passages that a node of the run received: a model names them `citations`, a search `items`. */
function passagesOf({ outputs }: RunNode): Citation[] {
  if (typeof outputs !== 'object' || outputs === null) return []
  const { citations, items } = outputs as Record<string, unknown>
  const found = Array.isArray(citations) ? citations : Array.isArray(items) ? items : []
  return found.flatMap(citationsIn)
}

/** Whether a node wrote the reply, or part of it. */
function wrote({ outputs }: RunNode, reply: string): boolean {
  const { text } = (outputs ?? {}) as Record<string, unknown>
  return typeof text === 'string' && text.trim() !== '' && reply.includes(text.trim())
}

/** How a reply came about: what its model thought before, and which tools it called; from the trace of the run. */
export function originOf(reply: string, nodes: readonly RunNode[]) {
  const outputs = (nodes.find(node => wrote(node, reply))?.outputs ?? {}) as Record<string, unknown>
  const { reasoning, reasoning_ms: milliseconds, steps } = outputs
  const took = typeof milliseconds === 'number' ? milliseconds : undefined
  return {
    reasoning:
      typeof reasoning === 'string' && reasoning !== '' ? { text: reasoning, milliseconds: took } : undefined,
    tools: Array.isArray(steps) ? steps.flatMap(toolIn) : [],
  }
}

function toolIn(value: unknown, at: number): ToolCall[] {
  const { tool, arguments: input, result } = (value ?? {}) as Record<string, unknown>
  if (typeof tool !== 'string' || typeof result !== 'string') return []
  return [
    { call: String(at), tool, status: result.startsWith('failed: ') ? 'failed' : 'done', input, result },
  ]
}

/** What the marks of a reply refer to: by the node that wrote it, or if unknown by the last node with citations. */
export function citationsFor(reply: string, nodes: readonly RunNode[]): Citation[] {
  const citing = nodes.filter(node => passagesOf(node).length > 0)
  const chosen = citing.find(node => wrote(node, reply)) ?? citing.at(-1)
  return chosen ? passagesOf(chosen) : []
}

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
