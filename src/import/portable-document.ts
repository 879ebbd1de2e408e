import { pointerSegment } from '../contract/finding.ts'
import type { LayoutShape } from '../contract/layout-shape.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { isBlank } from '../kernel/is-blank.ts'
import { isRecord } from '../kernel/is-record.ts'
import { type JsonMember, jsonMembers } from '../kernel/json-members.ts'
import { parseInPieces } from '../kernel/parse-in-pieces.ts'
import { inSlices } from '../kernel/slices.ts'
import type { SentGraph } from '../workflow/graph-checker.ts'
import { readShapes } from '../workflow/layout-shapes.ts'
import type { Position } from '../workflow/layout-store.ts'

/** A workflow as this platform exports it. */
export interface PortableDocument {
  name: string | undefined
  graph: SentGraph
  /** Positions of nodes; empty if the document has none. */
  positions: ReadonlyMap<string, Position>
  /** Sticky notes and groups. */
  shapes: ReadonlyMap<string, LayoutShape>
}

interface Document {
  format?: unknown
  format_version?: unknown
  name?: unknown
  workflow?: unknown
  layout?: unknown
}

type Members = ReadonlyMap<string, JsonMember>

/** The depth of the graph itself is checked when it is stored. */
const documentLimits = {
  depth: limits.graphDepth + 4,
  values: limits.graphValues,
  members: limits.jsonMembers,
  innerMembers: limits.jsonInnerMembers,
}

/** The members of a document inside another JSON text. */
export const documentMembers = async (text: string): Promise<Members> =>
  inSlices(jsonMembers(text, documentLimits))

/** `pointer` is the place of the document in the request. */
export function checkDocument(document: Document, members: Members, pointer: string): PortableDocument {
  if (document.format !== undefined && document.format !== 'banyan.workflow')
    throw invalidField(`${pointer}/format`, 'must be banyan.workflow')
  if (document.format_version !== undefined && document.format_version !== 1)
    throw invalidField(`${pointer}/format_version`, 'must be 1: the document was exported by another version')
  const { name } = document
  if (
    name !== undefined &&
    (typeof name !== 'string' ||
      // Counted in code points, as the schemas do.
      [...name].length > limits.nameLength ||
      !name.isWellFormed() ||
      name.includes('\0'))
  )
    throw invalidField(`${pointer}/name`, `must be text of at most ${limits.nameLength} characters`)
  const graph = members.get('workflow')
  if (!graph) throw invalidField(`${pointer}/workflow`, 'is required')
  return {
    name: name !== undefined && isBlank(name) ? '' : name,
    graph: { value: document.workflow, text: graph.text, depth: graph.depth, pointer: `${pointer}/workflow` },
    positions: positionsIn(document.layout, `${pointer}/layout`),
    shapes: shapesIn(document.layout, `${pointer}/layout`),
  }
}

function positionsIn(layout: unknown, pointer: string): Map<string, Position> {
  if (layout === undefined) return new Map()
  if (!isRecord(layout)) throw invalidField(pointer, 'must be an object with `positions`')
  const { positions = {} } = layout
  if (!isRecord(positions)) throw invalidField(`${pointer}/positions`, 'must be an object')
  return new Map(
    Object.entries(positions).map(([id, place]) => {
      if (!isRecord(place) || !isCoordinate(place['x']) || !isCoordinate(place['y']))
        throw invalidField(
          `${pointer}/positions/${pointerSegment(id)}`,
          `must be {"x": number, "y": number}, each between -${limits.coordinate} and ${limits.coordinate}`,
        )
      return [id, { x: place['x'], y: place['y'] }]
    }),
  )
}

function shapesIn(layout: unknown, pointer: string): Map<string, LayoutShape> {
  const shapes = readShapes((isRecord(layout) && layout['shapes']) || {}, `${pointer}/shapes`)
  return new Map([...shapes].flatMap(([id, shape]) => (shape ? [[id, shape]] : [])))
}

const isCoordinate = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= limits.coordinate

/** The document in a text: itself, inside the response that exported it, or a bare graph. */
export async function readDocument(text: string): Promise<PortableDocument> {
  const members = await documentMembers(text)
  const value = await parsed(text)
  if (!isRecord(value)) throw invalidField('/content', 'must be an exported workflow')
  const inner = ['document', 'data'].find(name => isRecord(value[name]) && members.has(name))
  if (inner && !members.has('workflow')) return readDocument(members.get(inner)!.text)
  if (!members.has('workflow') && members.has('nodes')) {
    const depth = Math.max(...[...members.values()].map(member => member.depth)) + 1
    return {
      name: undefined,
      graph: { value, text, depth, pointer: '/content' },
      positions: new Map(),
      shapes: new Map(),
    }
  }
  return checkDocument(value, members, '/content')
}

async function parsed(text: string): Promise<unknown> {
  try {
    return await inSlices(parseInPieces(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidField('/content', 'is not valid JSON')
    throw error
  }
}
