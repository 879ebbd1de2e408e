import type { Graph, GraphNode } from './graph.ts'

/** A node kind as the server lists it. */
interface NewNodeKind {
  readonly kind: string
  readonly node_type: string
  readonly title: unknown
  readonly data: Readonly<Record<string, unknown>>
  readonly data_zh?: Readonly<Record<string, unknown>>
}

/** A node of a kind with its default settings; `title` is the kind's name in the user's language. */
export const newNode = (
  graph: Graph,
  kind: NewNodeKind,
  title: string,
  language: 'en' | 'zh' = 'en',
): GraphNode => ({
  id: freshId(graph, kind.kind),
  type: kind.node_type,
  // A copy, so that no two nodes share an array or object of the palette.
  data: {
    ...structuredClone({ ...kind.data, ...(language === 'zh' && kind.data_zh) }),
    type: kind.kind,
    title: freshTitle(new Set(graph.nodes.map(node => node.data.title)), title),
  },
})

/**
 * The settings of an output once it is connected after a node: an output that still has its initial text, the user's
 * question, sends the result of that node instead.
 */
export function answering(
  kinds: readonly (NewNodeKind & { outputs: readonly string[] | null; branches: boolean })[],
  { id, data: { type } }: GraphNode,
  { data }: GraphNode,
): GraphNode['data'] | undefined {
  const [before, output] = [type, data.type].map(name => kinds.find(({ kind }) => kind === name))
  if (output?.kind !== 'output' || data['answer'] !== output.data['answer']) return undefined
  if (!before || before.branches || ['input', 'output'].includes(before.kind)) return undefined
  // A kind whose outputs depend on its settings has a result in any case.
  const name = ['text', 'result'].find(each => (before.outputs ?? ['result']).includes(each))
  return name === undefined ? undefined : { ...data, answer: `{{#${id}.${name}#}}` }
}

/** Nodes of one kind are numbered, like their ids; so are copies. */
export function freshTitle(taken: ReadonlySet<string | undefined>, title: string): string {
  if (!taken.has(title)) return title
  const first = title.replace(/ \d+$/, '')
  const name = taken.has(first) ? first : title
  let number = 2
  while (taken.has(`${name} ${number}`)) number++
  return `${name} ${number}`
}

/** A free id: `input` or `end` for those kinds if unused, else the kind with a number. */
export const freshId = (graph: Graph, kind: string): string =>
  freshIdAmong(new Set(graph.nodes.map(node => node.id)), kind)

export function freshIdAmong(taken: ReadonlySet<string>, kind: string): string {
  if ((kind === 'input' || kind === 'end') && !taken.has(kind)) return kind
  // Ids are typed and read in references, so for a long name its last word is enough.
  const short = kind.length > 32 ? (kind.split('_').at(-1) ?? kind) : kind
  const name = /^[a-z]\w{0,63}$/i.test(short) ? short : 'node'
  // Continues after the highest number instead of filling a gap, because texts may still refer to a deleted node.
  let highest = 0
  for (const id of taken) {
    if (!id.startsWith(`${name}_`)) continue
    const number = id.slice(name.length + 1)
    if (/^[1-9]\d{0,8}$/.test(number)) highest = Math.max(highest, Number(number))
  }
  return `${name}_${highest + 1}`
}
