import type { KindField, KindRecord, KindShape, KindsData } from '../contract/kind-operations.ts'
import { commonFields, type NodeKind } from '../workflow/node-kind.ts'
import { systemNames } from '../workflow/resolve-reference.ts'
import type { Fields, Shape } from '../workflow/shape.ts'
import { commonFieldWords, systemWords } from './kind-cards/common-words.ts'
import type { FieldWords } from './kind-cards/kind-card.ts'
import { kindCards } from './kind-cards/kind-cards.ts'
import { nodeKinds } from './registry.ts'

/** Everything that an editor needs to offer the kinds: what they are, from the registry, and the words for people. */
export const kindCatalog = (): KindsData => ({
  // What has no card yet comes last, and fails where its words are looked up.
  kinds: [...new Set([...Object.keys(kindCards), ...nodeKinds.keys()])].map(describeKind),
  common: describeFields(commonFields, [], commonFieldWords, 'every node'),
  system: [...systemNames].map(name => ({ name, about: wordsOf(systemWords, name, 'sys') })),
})

function describeKind(name: string): KindRecord {
  const kind = wordsOf(Object.fromEntries(nodeKinds), name, 'the registry') as NodeKind<unknown>
  const { group, title, about, fields, data } = wordsOf(kindCards, name, 'the cards')
  return {
    kind: name,
    node_type: kind.nodeType,
    group,
    title,
    about,
    fields: describeFields(kind.fields, kind.required, fields, name),
    outputs: listOrNull(kind.outputs({})),
    branches: kind.cases !== undefined,
    data,
  }
}

const listOrNull = (names: readonly string[] | undefined): string[] | null => (names ? [...names] : null)

const describeFields = (
  fields: Fields,
  required: readonly string[],
  words: Readonly<Record<string, FieldWords>>,
  place: string,
): KindField[] =>
  Object.entries(fields).map(([name, shape]) => {
    const own = wordsOf(words, name, place)
    return {
      name,
      label: own.label,
      help: own.help ?? null,
      required: required.includes(name),
      shape: describeShape(shape, own, `${place}.${name}`),
    }
  })

/** Words of a list are those of its elements: nobody calls the element of a list by a name of its own. */
function describeShape(shape: Shape, words: FieldWords, place: string): KindShape {
  if (shape.is === 'object') {
    const fields = describeFields(shape.fields, shape.required ?? [], words.fields ?? {}, place)
    return { is: shape.is, fields }
  }
  const { is, of, options, input } = shape as Partial<Record<string, unknown>> & {
    is: KindShape['is']
    of?: Shape
    options?: readonly string[]
    input?: KindShape['input']
  }
  return {
    is,
    ...(of && { of: describeShape(of, words, place) }),
    ...(options && {
      options: options.map(value => ({ value, label: wordsOf(words.options ?? {}, value, place) })),
    }),
    ...(input && { input }),
  }
}

function wordsOf<Value>(table: Readonly<Record<string, Value>>, name: string, place: string): Value {
  const words = Object.hasOwn(table, name) ? table[name] : undefined
  if (words === undefined) throw new Error(`There are no words for ${name} of ${place}`)
  return words
}
