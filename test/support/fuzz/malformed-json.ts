import {
  edgeCaseLiterals,
  edgeCaseNumbers,
  edgeCaseString,
  edgeCaseValue,
  hostileNames,
  hostileValue,
  setOwn,
} from './edge-cases.ts'
import { brokenGraph } from './graphs.ts'
import { places, removeAt, setAt, valueAt } from './json-places.ts'
import type { Random } from './random.ts'

export interface MalformedText {
  mutation: string
  text: string
}

/** Placeholder for a literal that is inserted after printing. */
const marker = '@@literal@@'

const nested = (depth: number, random: Random): string =>
  random.chance(0.5)
    ? '['.repeat(depth) + ']'.repeat(depth)
    : `${'{"a":'.repeat(depth)}null${'}'.repeat(depth)}`

const withLiteral = (value: object, literal: string, random: Random): string => {
  setAt(value, random.pick(places(value)), marker)
  return JSON.stringify(value).replace(`"${marker}"`, () => literal)
}

/** Prints an object with a duplicate member; the last one wins. */
function withDuplicate(value: Record<string, unknown>, random: Random): string {
  const names = Object.keys(value)
  const name = names.length > 0 ? random.pick(names) : 'id'
  const other = random.chance(0.5) ? edgeCaseValue(random) : value[name]
  const extra = `${JSON.stringify(name)}:${JSON.stringify(other ?? null)}`
  const members = names.map(key => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`)
  members.splice(random.below(members.length + 1), 0, extra)
  return `{${members.join(',')}}`
}

const objectsIn = (value: unknown): object[] => [
  value as object,
  ...places(value)
    .map(place => valueAt(value, place))
    .filter((inner): inner is object => typeof inner === 'object' && inner !== null && !Array.isArray(inner)),
]

const isGraph = (value: unknown): boolean => typeof value === 'object' && value !== null && 'nodes' in value

/** The text of a body like `value` with at most one error. */
export function malformedJson(value: Record<string, unknown>, random: Random): MalformedText {
  const mutation = random.weighted({
    nothing: 3,
    'wrong type': 5,
    missing: 4,
    null: 2,
    extra: 4,
    number: 3,
    string: 4,
    duplicate: 2,
    literal: 1.5,
    deep: 1.5,
    graph: 4,
    escapes: 0.5,
  })
  const print = (): MalformedText => ({ mutation, text: JSON.stringify(value) })
  switch (mutation) {
    case 'nothing':
      return print()
    case 'wrong type':
      setAt(value, random.pick(places(value)), edgeCaseValue(random))
      return print()
    case 'missing':
      removeAt(value, random.pick(places(value)))
      return print()
    case 'null':
      setAt(value, random.pick(places(value)), null)
      return print()
    case 'extra':
      for (let count = 1 + random.below(3); count > 0; count--)
        setOwn(random.pick(objectsIn(value)), random.pick(hostileNames), hostileValue(random))
      return print()
    case 'number':
      setAt(value, random.pick(places(value)), random.pick(edgeCaseNumbers))
      return print()
    case 'string':
      setAt(value, random.pick(places(value)), edgeCaseString(random))
      return print()
    case 'duplicate':
      return { mutation, text: withDuplicate(value, random) }
    case 'literal':
      return { mutation, text: withLiteral(value, random.pick(edgeCaseLiterals), random) }
    case 'deep':
      return {
        mutation,
        text: withLiteral(value, nested(random.pick([60, 63, 64, 65, 66, 70, 1000, 50_000]), random), random),
      }
    case 'graph': {
      const graphPlaces = places(value).filter(place => isGraph(valueAt(value, place)))
      if (graphPlaces.length === 0) return print()
      setAt(value, random.pick(graphPlaces), brokenGraph(random))
      return print()
    }
    case 'escapes':
      // Every character as an escape: the same value for a parser, another text for a search for keys.
      return {
        mutation,
        text: JSON.stringify(value).replace(
          /[a-z](?=[^"\\]*":)/g,
          letter => `\\u00${letter.charCodeAt(0).toString(16)}`,
        ),
      }
  }
}
