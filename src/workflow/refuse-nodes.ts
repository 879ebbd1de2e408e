import { pointerSegment } from '../contract/finding.ts'
import { findKind, reservedNodeIds } from './graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from './json-record.ts'
import { commonFields, type KindRegistry } from './node-kind.ts'
import { checkFields, type Report } from './shape.ts'
import { showValue } from './show-value.ts'

/** Reports what is wrong with each node and returns the ids that edges may name. */
export function refuseNodes(
  nodes: readonly unknown[],
  kinds: KindRegistry,
  path: string,
  report: Report,
): ReadonlySet<string> {
  const firstPlaces = new Map<string, string>()
  for (const [index, node] of nodes.entries()) {
    const place = `${path}/${index}`
    if (!isJsonRecord(node)) {
      report(place, `A node must be an object with "id", "type" and "data", but is ${showValue(node)}.`)
      continue
    }
    const id = readId(node, place, firstPlaces, report)
    const type = ownValue(node, 'type')
    if (typeof type !== 'string') {
      report(`${place}/type`, `A node needs a string "type" such as "base", but has ${showValue(type)}.`)
    }
    const data = ownValue(node, 'data')
    if (isJsonRecord(data)) refuseData(id, data, kinds, `${place}/data`, report)
    else report(`${place}/data`, `A node needs an object "data", but has ${showValue(data)}.`)
  }
  return new Set(firstPlaces.keys())
}

function readId(
  node: JsonRecord,
  place: string,
  firstPlaces: Map<string, string>,
  report: Report,
): string | undefined {
  const id = ownValue(node, 'id')
  if (typeof id !== 'string' || id === '') {
    report(`${place}/id`, `A node needs a string "id" that is not empty, but has ${showValue(id)}.`)
    return undefined
  }
  const first = firstPlaces.get(id)
  if (first === undefined) firstPlaces.set(id, place)
  else
    report(`${place}/id`, `The node id ${showValue(id)} is already used by ${first}; give each node its own.`)
  return id
}

function refuseData(
  id: string | undefined,
  data: JsonRecord,
  kinds: KindRegistry,
  path: string,
  report: Report,
): void {
  const reservedFor = id === undefined ? undefined : reservedNodeIds.get(id)
  const kindName = ownValue(data, 'type')
  if (reservedFor !== undefined && kindName !== reservedFor) {
    report(
      `${path}/type`,
      `The node id "${id}" is kept for the kind "${reservedFor}", but this node's data.type is ` +
        `${showValue(kindName)}; change the one or the other.`,
    )
  }
  const kind = findKind(data, kinds)
  if (kind === undefined) return
  const repeated = kind.repeatsNodeId
  if (repeated !== undefined && id !== undefined && Object.hasOwn(data, repeated) && data[repeated] !== id) {
    report(
      `${path}/${pointerSegment(repeated)}`,
      `Must equal the id of the node, ${showValue(id)}, but is ${showValue(data[repeated])}.`,
    )
  }
  checkFields(data, commonFields, path, report)
  checkFields(data, kind.fields, path, report)
}
