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

export interface RunNode {
  outputs: unknown
}

const needed = ['content', 'knowledge_id', 'file_id', 'file_name', 'chunk_id'] as const

/** Whether a value is a web address; anything else is not shown as a link. */
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
export function wrote({ outputs }: RunNode, reply: string): boolean {
  const { text } = (outputs ?? {}) as Record<string, unknown>
  return typeof text === 'string' && text.trim() !== '' && reply.includes(text.trim())
}

/**
 * The citations for the marks of a reply: those of the node that wrote it or, if unknown, of the last node with
 * citations.
 */
export function citationsFor(reply: string, nodes: readonly RunNode[]): Citation[] {
  const citing = nodes.filter(node => passagesOf(node).length > 0)
  const chosen = citing.find(node => wrote(node, reply)) ?? citing.at(-1)
  return chosen ? passagesOf(chosen) : []
}
