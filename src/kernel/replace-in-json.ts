import { endOfString, nextStructural } from './json-strings.ts'
import type { Pausable } from './slices.ts'

/** New values as JSON texts, by key or index, nested like the JSON that they belong to. */
export type JsonChanges = Map<string, JsonChanges | string>

const notSpace = /\S/g
const afterScalar = /[\s,\]}]/g

function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length
}

/** Replaces values in valid JSON; everything else stays as it is, character by character. */
export function* replaceInJson(text: string, changes: JsonChanges): Pausable<string> {
  const pieces: string[] = []
  let at = 0
  let copied = 0

  const skipSpace = (): void => {
    at = find(notSpace, text, at)
  }

  const skipString = (): string => {
    const start = at
    at = endOfString(text, at) + 1
    return text.slice(start, at)
  }

  const skipValue = (): void => {
    const first = text[at]
    if (first === '"') return void skipString()
    if (first !== '{' && first !== '[') {
      at = find(afterScalar, text, at)
      return
    }
    for (let depth = 0; at < text.length; at = nextStructural(text, at + 1)) {
      const character = text[at]
      if (character === '"') at = endOfString(text, at)
      else if (character === '{' || character === '[') depth++
      else if ((character === '}' || character === ']') && --depth === 0) return void at++
    }
  }

  const visitMembers = function* (members: JsonChanges): Pausable<void> {
    const isObject = text[at++] === '{'
    for (let index = 0; ; index++) {
      skipSpace()
      if (text[at] === ',') {
        at++
        skipSpace()
      }
      if (at >= text.length || text[at] === '}' || text[at] === ']') return void at++
      const key = isObject ? (JSON.parse(skipString()) as string) : String(index)
      if (isObject) {
        skipSpace()
        at++
        skipSpace()
      }
      yield* visit(members.get(key))
      yield
    }
  }

  const visit = function* (change: JsonChanges | string | undefined): Pausable<void> {
    if (change instanceof Map && (text[at] === '{' || text[at] === '[')) return yield* visitMembers(change)
    const start = at
    skipValue()
    if (typeof change !== 'string') return
    pieces.push(text.slice(copied, start), change)
    copied = at
  }

  skipSpace()
  yield* visit(changes)
  return pieces.join('') + text.slice(copied)
}
