import { limits } from '../../contract/limits.ts'
import { ownValue, valueInside } from '../json-record.ts'
import type { DottedNames } from '../references.ts'
import { findReferences, resolveReference } from '../references.ts'
import type { Outputs, SystemValues } from '../step.ts'
import { insertsTooMuch } from './failures.ts'

export interface TemplateReference {
  readonly from: 'sys' | 'memory' | 'env' | 'secret' | 'node'
  /** The place of the node in the graph; -1 for anything else. */
  readonly node: number
  /** The name of the output and the path into it. */
  readonly path: readonly string[]
}

/** A text split at its references, once for all runs. Inserted text is never parsed for references. */
export interface Template {
  readonly parts: readonly (string | TemplateReference)[]
}

/** Where a template finds its values. */
export interface Values {
  readonly system: SystemValues
  readonly memory: Readonly<Record<string, unknown>>
  readonly environment: Outputs
  /** By the place of the node; undefined where it was skipped or has not run. */
  readonly outputs: readonly (Outputs | undefined)[]
  /** Only for texts that are sent to another server; elsewhere references to secrets stay as written. */
  readonly secrets?: { get(name: string): string }
}

/** An unresolved reference stays as written; a graph with such a reference does not run anyway. */
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

/** A string as it is, undefined as an empty text, anything else as JSON. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined ? '' : (JSON.stringify(value) ?? '')
}

export function referencedValue(reference: TemplateReference, values: Values): unknown {
  const { from, node, path } = reference
  if (from === 'node') {
    const outputs = values.outputs[node]
    return outputs === undefined ? undefined : readPath(outputs, path)
  }
  if (from === 'secret') {
    const name = path.join('.')
    return values.secrets ? values.secrets.get(name) : `{{#secret.${name}#}}`
  }
  if (from === 'env') return readPath(values.environment, path)
  return readPath(from === 'sys' ? (values.system as unknown as Outputs) : values.memory, path)
}

/** The maximum number of dotted parts in the name of an output; see `DottedNames`. */
const maxNameParts = 17

/** The name of an output may contain dots; the longest existing name wins. */
function readPath(record: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  if (path.length === 1) return ownValue(record, path[0]!)
  for (let length = Math.min(path.length, maxNameParts); length > 0; length -= 1) {
    const name = path.slice(0, length).join('.')
    if (Object.hasOwn(record, name)) return valueInside(record[name], path.slice(length))
  }
  return undefined
}

export function fillTemplate(template: Template, values: Values): string {
  let text = ''
  for (const part of template.parts) {
    text += typeof part === 'string' ? part : textOfValue(referencedValue(part, values))
    // Texts that insert each other several times grow exponentially.
    if (text.length > limits.filledTextLength) throw insertsTooMuch()
  }
  return text
}

/** The value itself, with its type, if the template is a single reference; otherwise the text. */
export function templateValue(template: Template, values: Values): unknown {
  const [only] = template.parts
  return template.parts.length === 1 && typeof only === 'object'
    ? referencedValue(only, values)
    : fillTemplate(template, values)
}
