import { isJsonRecord } from '../workflow/node-kind.ts'
import { findReferences, type Reference } from '../workflow/references.ts'
import type { Step } from '../workflow/step.ts'
import { valueAt } from './field-of.ts'
import { refuseLong } from './fill-json-text.ts'
import { textOf } from './read-setting.ts'

/** Values that only the templates of one field know, under the name that its shape declares as `local`. */
export interface LocalValues {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** A tree with its references replaced, those under the local name by the local values. */
export function fillLocal(step: Pick<Step, 'value'>, tree: unknown, local: LocalValues): unknown {
  if (typeof tree === 'string') return fillText(step, tree, local)
  if (Array.isArray(tree)) return tree.map(each => fillLocal(step, each, local))
  if (!isJsonRecord(tree)) return tree
  return Object.fromEntries(Object.entries(tree).map(([key, each]) => [key, fillLocal(step, each, local)]))
}

/** The values that a tree refers to under a local name. */
export function localNames(tree: unknown, name: string): string[] {
  if (typeof tree === 'string')
    return findReferences(tree).flatMap(({ path }) => (path[0] === name && path[1] ? [path[1]] : []))
  if (typeof tree !== 'object' || tree === null) return []
  return Object.values(tree).flatMap(each => localNames(each, name))
}

function fillText(step: Pick<Step, 'value'>, template: string, { name, values }: LocalValues): unknown {
  const valueIn = ({ path, text }: Reference): unknown =>
    path[0] === name ? valueAt(values, path.slice(1)) : step.value(text)
  const references = findReferences(template)
  const [first] = references
  if (first?.text === template) return valueIn(first)
  let filled = ''
  let position = 0
  for (const reference of references) {
    filled += template.slice(position, reference.start) + textOf(valueIn(reference))
    refuseLong(filled)
    position = reference.end
  }
  return filled + template.slice(position)
}
