import { pointerSegment } from '../contract/finding.ts'
import { AppError } from './app-error.ts'
import { endOfString, longRun, nextStructural } from './json-strings.ts'
import type { Pausable } from './slices.ts'

export interface JsonMember {
  /** The exact text of the value. */
  text: string
  depth: number
}

/** Reading this much takes less than a millisecond. */
const pieceLength = 64 << 10

const quote = 0x22
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a

/** Parsing and checking JSON takes time for each of its values, however few bytes they have. */
export interface JsonLimits {
  depth: number
  values: number
  /** Maximum number of members of the outermost object. */
  members: number
  /** Maximum number of members of any other object: each listing of them takes time at once. */
  innerMembers: number
}

/**
 * Finds the members of the outermost object with the exact text of their values, and rejects JSON beyond the limits.
 * Graphs are stored as that text, because parsing and serializing would change numbers beyond 2^53, -0 and duplicate
 * keys. The depth must be checked before parsing: JSON.parse accepts nesting that JSON.stringify cannot write, so a deep
 * record could be stored and never read again.
 *
 * Invalid JSON does not throw here: JSON.parse reports it. The last duplicate key counts, as in JSON.parse.
 */
export function* jsonMembers(text: string, max: JsonLimits): Pausable<Map<string, JsonMember>> {
  const members = new Map<string, JsonMember>()
  let depth = 0
  let values = 1
  /** For each open object, how many more members it may have. */
  const left: number[] = []
  let deepest = 0
  let key: string | undefined
  let keyEnd = 0
  let valueStart = 0

  const closeMember = (end: number): void => {
    if (key === undefined || valueStart === 0) return
    members.set(key, { text: text.slice(valueStart, end).trim(), depth: deepest - 1 })
    key = undefined
    valueStart = 0
  }

  for (let at = 0, last = 0, pauseAt = pieceLength; at < text.length; at++) {
    if (at >= pauseAt) {
      pauseAt = at + pieceLength
      yield
    }
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at)
        if (depth === 1 && key === undefined) {
          key = text.slice(at, end + 1)
          keyEnd = end
        }
        at = end
        break
      }
      case openBrace:
      case openBracket:
        depth++
        left[depth] = text.charCodeAt(at) === openBrace ? max.innerMembers : Number.POSITIVE_INFINITY
        if (depth > deepest) deepest = depth
        if (depth > max.depth) throw tooDeep(max.depth, key)
        if (++values > max.values) throw tooMany(max.values, 'values')
        break
      case closeBrace:
      case closeBracket:
        if (depth === 1) closeMember(at)
        depth--
        break
      case colon:
        if (depth === 1 && valueStart === 0 && key !== undefined && at > keyEnd) {
          key = decodeKey(key)
          valueStart = at + 1
          deepest = 1
        }
        break
      case comma:
        if (++values > max.values) throw tooMany(max.values, 'values')
        if (depth !== 1) {
          if (--left[depth]! <= 0) throw tooMany(max.innerMembers, 'members in one object', key)
          break
        }
        closeMember(at)
        if (members.size >= max.members) throw tooMany(max.members, 'members at its top level')
        break
      default:
        if (at - last > longRun) at = nextStructural(text, at) - 1
        else continue
    }
    last = at
  }
  return members
}

/** Whether there are more than `max` values, of which all but one are preceded by a comma. Commas in texts count, too. */
export function haveManyValues(members: ReadonlyMap<string, JsonMember>, max: number): boolean {
  let count = members.size
  for (const { text } of members.values())
    for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) if (++count > max) return true
  return count > max
}

/** `key` is the member of the outermost object where the problem is. */
const errorsAt = (key: string | undefined, message: string) =>
  key === undefined ? [] : [{ path: `/${pointerSegment(key)}`, message }]

function tooDeep(limit: number, key: string | undefined): AppError {
  const message = `is nested deeper than ${limit} levels`
  return new AppError('too_deep', `The JSON ${message}`, { errors: errorsAt(key, message) })
}

function tooMany(limit: number, unit: string, key?: string): AppError {
  const message = `has more than ${limit} ${unit}`
  return new AppError('too_large', `The JSON ${message}`, { errors: errorsAt(key, message), data: { limit } })
}

function decodeKey(literal: string): string | undefined {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return JSON.parse(literal) as string
  } catch {
    // Invalid JSON, which JSON.parse reports next.
    return undefined
  }
}
