import { pointerSegment } from '../contract/finding.ts'
import { findKind, type GraphNode, kindName } from './graph.ts'
import { isJsonRecord, ownValue } from './json-record.ts'
import type { KindRegistry } from './node-kind.ts'
import { showValue } from './show-value.ts'
import type { Warn } from './warning.ts'

/** Warns of a node that cannot run by itself: its kind is unknown, or something it needs is not set. */
export function warnSettings(node: GraphNode, kinds: KindRegistry, path: string, warn: Warn): void {
  const kind = findKind(node.data, kinds)
  if (kind === undefined) {
    const name = kindName(node)
    const problem =
      name === undefined ? 'This node has no data.type' : `No kind of node is called ${showValue(name)}`
    warn('unknown_kind', `${path}/data/type`, `${problem}; the node is kept, but cannot run.`)
    return
  }
  for (const field of kind.required) {
    if (isSet(ownValue(node.data, field))) continue
    const name = `${kind.label?.en ?? kind.kind} ${showValue(node.id)}`
    const message = `${name} cannot run before ${showValue(field)} is set.`
    warn('missing_setting', `${path}/data/${pointerSegment(field)}`, message)
  }
  for (const { place, message } of kind.gaps?.(node.data) ?? []) {
    warn('missing_setting', `${path}/data/${place.map(pointerSegment).join('/')}`, message)
  }
}

function isSet(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.length > 0
  if (isJsonRecord(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null
}
