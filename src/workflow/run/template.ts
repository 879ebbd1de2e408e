import type { DottedNames } from '../dotted-names.ts'
import { isJsonRecord, ownValue } from '../json-record.ts'
import { findReferences } from '../references.ts'
import { resolveReference } from '../resolve-reference.ts'
import { type Outputs, StepFailure, type SystemValues } from '../step.ts'

/** A reference that is known to name something. */
export interface TemplateReference {
  readonly from: 'sys' | 'memory' | 'node'
  /** The place of the node in the graph; -1 where it is none. */
  readonly node: number
  /** The output's name and the way into it. */
  readonly path: readonly string[]
}

/** A text cut at its references, once for all runs: what is inserted is never looked at again. */
export interface Template {
  readonly parts: readonly (string | TemplateReference)[]
}

/** Where a template finds its values. */
export interface Values {
  readonly system: SystemValues
  readonly memory: Readonly<Record<string, unknown>>
  /** Undefined for a node that was skipped or has not run. */
  outputsOf(node: number): Outputs | undefined
}

/** What names nothing stays as it is written; a graph with such a reference is not run anyway. */
export function parseTemplate(
  text: string,
  nodeIds: DottedNames,
  places: ReadonlyMap<string, number>,
): Template {
  const parts: (string | TemplateReference)[] = []
  let position = 0
  for (const reference of findReferences(text)) {
    const source = reference.malformed ? undefined : resolveReference(reference, nodeIds)
    if (source === undefined || source.from === 'nowhere') continue
    if (reference.start > position) parts.push(text.slice(position, reference.start))
    position = reference.end
    if (source.from === 'node')
      parts.push({ from: 'node', node: places.get(source.nodeId)!, path: source.rest.split('.') })
    else parts.push({ from: source.from, node: -1, path: reference.path.slice(1) })
  }
  if (position < text.length) parts.push(text.slice(position))
  return { parts }
}

/** A string as it is, nothing as nothing, anything else as JSON. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined ? '' : (JSON.stringify(value) ?? '')
}

export function referencedValue(reference: TemplateReference, values: Values): unknown {
  const { from, node, path } = reference
  if (from === 'node') {
    const outputs = values.outputsOf(node)
    return outputs === undefined ? undefined : readPath(outputs, path)
  }
  return readPath(from === 'sys' ? (values.system as unknown as Outputs) : values.memory, path)
}

/** As many parts as the name of an output may have; see `DottedNames`. */
const mostNameParts = 17

/** The first name may hold dots itself; the longest that is there is meant. */
function readPath(record: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  if (path.length === 1) return ownValue(record, path[0]!)
  for (let length = Math.min(path.length, mostNameParts); length > 0; length -= 1) {
    const name = path.slice(0, length).join('.')
    if (Object.hasOwn(record, name)) return readInto(record[name], path.slice(length))
  }
  return undefined
}

function readInto(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (Array.isArray(current)) current = /^\d+$/.test(key) ? current[Number(key)] : undefined
    else if (isJsonRecord(current)) current = ownValue(current, key)
    else return undefined
  }
  return current
}

/** Texts that insert each other several times grow beyond all bounds. */
const longestText = 16 << 20

export function fillTemplate(template: Template, values: Values): string {
  let text = ''
  for (const part of template.parts) {
    text += typeof part === 'string' ? part : textOfValue(referencedValue(part, values))
    if (text.length > longestText)
      throw new StepFailure('step_failed', 'With what is inserted, a text grows beyond 16 million characters')
  }
  return text
}

/** The value itself where the template is one reference and nothing else. */
export function templateValue(template: Template, values: Values): unknown {
  const [only] = template.parts
  return template.parts.length === 1 && typeof only === 'object'
    ? referencedValue(only, values)
    : fillTemplate(template, values)
}
