import { AppError } from './app-error.ts'

export interface JsonMember {
  /** The exact text of the value. */
  text: string
  depth: number
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a

/** Index of the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let backslashes = 0
    for (let at = end - 1; at > start && text.charCodeAt(at) === backslash; at--) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/**
 * Finds the members of the outermost object with the exact text of their values, and rejects nesting that is too deep.
 * Graphs are stored as that text, because parsing and serializing would change numbers beyond 2^53, -0 and duplicate
 * keys. The depth must be checked before parsing: JSON.parse accepts nesting that JSON.stringify cannot write, so a deep
 * record could be stored and never read again.
 *
 * Invalid JSON does not throw here: JSON.parse reports it. The last duplicate key counts, as in JSON.parse.
 */
export function jsonMembers(text: string, maxDepth: number): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>()
  let depth = 0
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

  for (let at = 0; at < text.length; at++) {
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
        if (depth > deepest) deepest = depth
        if (depth > maxDepth)
          throw new AppError('too_deep', `The JSON is nested deeper than ${maxDepth} levels`)
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
        if (depth === 1) closeMember(at)
        break
    }
  }
  return members
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
