import type { GraphEdge, GraphNode, Point, Positions } from './graph.ts'
import { isObject, isRecord, member } from './same-json.ts'

/** Tells our own texts from everything else that may be in a clipboard. */
export const copiedFormat = 'banyan.nodes.1'

/** Half of what the server takes as a graph, since what is pasted comes on top of one. */
const mostCharacters = 4 << 20
const mostNodes = 1000
const mostEdges = 5000
/** As the server has it for graphs, less the levels around the data of a node. */
const mostDepth = 60
/** The server keeps no place farther out. */
const farthest = 1_000_000

export interface CopiedPart {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly positions: Positions
}

/** `JSON.parse`, or one that keeps numbers to the last digit. It throws for what is not JSON. */
export type ReadJson = (text: string) => unknown

/** What a text copied from an editor holds; undefined for any other text. It may come from anywhere: nothing is trusted. */
export function readCopied(text: string, read: ReadJson): CopiedPart | undefined {
  if (text.length > mostCharacters || !text.includes(copiedFormat)) return undefined
  const value = parse(text, read)
  if (!isRecord(value) || member(value, 'format') !== copiedFormat) return undefined
  const nodes = member(value, 'nodes')
  const edges = member(value, 'edges')
  if (!isListOf(nodes, isNode, mostNodes) || !isListOf(edges, isEdge, mostEdges)) return undefined
  if (new Set(nodes.map(node => node.id)).size < nodes.length) return undefined
  if (isDeeper(nodes, mostDepth) || isDeeper(edges, mostDepth)) return undefined
  const positions = member(value, 'positions')
  const places = isRecord(positions) ? Object.entries(positions).filter(([, place]) => isPoint(place)) : []
  return { nodes, edges, positions: Object.fromEntries(places) as Positions }
}

function parse(text: string, read: ReadJson): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

const isListOf = <Value>(
  value: unknown,
  isElement: (element: unknown) => element is Value,
  most: number,
): value is Value[] => Array.isArray(value) && value.length <= most && value.every(isElement)

function isNode(value: unknown): value is GraphNode {
  if (!isRecord(value)) return false
  const [id, type, data] = [member(value, 'id'), member(value, 'type'), member(value, 'data')]
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || !isRecord(data)) return false
  return ['type', 'title', 'desc'].every(name => ['string', 'undefined'].includes(typeof member(data, name)))
}

function isEdge(value: unknown): value is GraphEdge {
  if (!isRecord(value) || !isEnd(member(value, 'source')) || !isEnd(member(value, 'target'))) return false
  const data = member(value, 'data')
  if (data === undefined) return true
  return isRecord(data) && ['string', 'undefined'].includes(typeof member(data, 'case'))
}

const isEnd = (value: unknown): boolean => isRecord(value) && typeof member(value, 'cell') === 'string'

const isPoint = (value: unknown): value is Point =>
  isRecord(value) && isCoordinate(member(value, 'x')) && isCoordinate(member(value, 'y'))

const isCoordinate = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= farthest

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value).some(held => isDeeper(held, levels - 1)))
