/** One `{{#node.output#}}` in a text. */
export interface Reference {
  /** As written in the text, braces included. */
  readonly text: string
  readonly start: number
  /** The position after its last character. */
  readonly end: number
  /** The trimmed text between the marks, split at the dots. */
  readonly path: readonly string[]
  /** It has no dot or an empty part: it cannot refer to an output. */
  readonly malformed: boolean
}

const opening = '{{#'
const closing = '#}}'

/** A longer one is malformed: splitting megabytes at their dots takes long and finds nothing. */
const maxReferenceLength = 2000

/**
 * The references of a text, found in one pass; it stops soon after `max`. If there are several openings before a closing,
 * the last one counts, so that `{{#if …}}` of another template language stays plain text and does not swallow the next
 * reference.
 */
export function findReferences(text: string, max = Number.POSITIVE_INFINITY): Reference[] {
  const references: Reference[] = []
  let position = 0
  while (references.length <= max) {
    const firstOpening = text.indexOf(opening, position)
    if (firstOpening === -1) return references
    const close = text.indexOf(closing, firstOpening + opening.length)
    if (close === -1) return references
    // Ends at firstOpening at the latest, so the backward search is bounded.
    const start = text.lastIndexOf(opening, close - opening.length)
    const end = close + closing.length
    const inside = end - start > maxReferenceLength ? '' : text.slice(start + opening.length, close)
    const path = inside.trim().split('.')
    const malformed = path.length < 2 || path.some(part => part.trim() === '')
    references.push({ text: text.slice(start, end), start, end, path, malformed })
    position = end
  }
  return references
}

const unmarked = /\{\{ *([^\s{}#][^\s{}#]{0,200}) *\}\}/g

/** Texts such as `{{sys.query}}`, which look like references but lack their marks. */
export const findUnmarked = (text: string): Reference[] =>
  text.includes('{{')
    ? [...text.matchAll(unmarked)].map(match => {
        const path = match[1]!.split('.')
        const malformed = path.length < 2 || path.some(part => part === '')
        return { text: match[0], start: match.index, end: match.index + match[0].length, path, malformed }
      })
    : []

/** Names with more dots are not found by references, which bounds the search. */
const maxDots = 16

/** Finds the names that begin a dotted path. Names may contain dots: `a.b.text` starts with `a.b` rather than `a`. */
export class DottedNames {
  readonly names: ReadonlySet<string>
  /** The largest number of dots in a name; usually 0, and then one lookup is enough. */
  readonly #dots: number

  constructor(names: Iterable<string>) {
    this.names = new Set(names)
    let dots = 0
    for (const name of this.names) if (name.includes('.')) dots = Math.max(dots, name.split('.').length - 1)
    this.#dots = Math.min(dots, maxDots)
  }

  /** The longest name that `path` starts with, followed by a dot. */
  longestStartOf(path: string): string | undefined {
    let longest: string | undefined
    let end = path.indexOf('.')
    for (let dots = 0; end !== -1 && dots <= this.#dots; dots += 1) {
      const start = path.slice(0, end)
      if (this.names.has(start)) longest = start
      end = path.indexOf('.', end + 1)
    }
    return longest
  }
}

/** Names under `sys.` that a template may use; `item` and `index` have a value inside an iteration. */
export const systemNames: ReadonlySet<string> = new Set([
  ...['query', 'files', 'action', 'conversation_id', 'user_id', 'agent_id', 'run_id', 'time'],
  ...['history', 'inputs', 'model', 'item', 'index'],
])

export type ReferenceSource =
  | { readonly from: 'sys' | 'memory' | 'env' | 'secret'; readonly name: string }
  /** `rest` is the output's name, and the path into it where there is one. */
  | { readonly from: 'node'; readonly nodeId: string; readonly rest: string }
  | { readonly from: 'nowhere' }

/** No node can replace `sys`, `memory` and `secret`. `env` comes last: older graphs may have a node of that id. */
export function resolveReference(reference: Reference, nodeIds: DottedNames): ReferenceSource {
  const [head, name] = reference.path
  if ((head === 'sys' || head === 'memory') && name !== undefined) return { from: head, name }
  if (head === 'secret') return { from: head, name: reference.path.slice(1).join('.') }
  const path = reference.path.join('.')
  const nodeId = nodeIds.longestStartOf(path)
  if (nodeId !== undefined) return { from: 'node', nodeId, rest: path.slice(nodeId.length + 1) }
  return head === 'env' && name !== undefined ? { from: head, name } : { from: 'nowhere' }
}
