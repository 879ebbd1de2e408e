import { endOfString } from './json-strings.ts'

/** New values as JSON texts, by key or index, nested like the JSON that they belong to. */
export type JsonChanges = Map<string, JsonChanges | string>

const quote = 0x22
const comma = 0x2c
const opening = 0x7b
const closing = 0x7d

/** Replaces values in valid JSON; everything else stays as it is, character by character. */
export function replaceInJson(text: string, changes: JsonChanges): string {
  const pieces: string[] = []
  let at = 0
  let copied = 0

  const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(at))) at++
  }

  const skipString = (): string => {
    const start = at
    at = endOfString(text, at) + 1
    return text.slice(start, at)
  }

  /** Brackets differ from braces by one bit only. */
  const skipValue = (): void => {
    for (let depth = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const isClosing = (code | 0x20) === closing
      if (depth === 0 && (isClosing || code === comma || isSpace(code))) return
      if (code === quote) at = endOfString(text, at)
      else if ((code | 0x20) === opening) depth++
      else if (isClosing) depth--
      at++
      if (depth === 0 && (isClosing || code === quote)) return
    }
  }

  const visitMembers = (members: JsonChanges): void => {
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
      visit(members.get(key))
    }
  }

  const visit = (change: JsonChanges | string | undefined): void => {
    if (change instanceof Map && (text[at] === '{' || text[at] === '[')) return void visitMembers(change)
    const start = at
    skipValue()
    if (typeof change !== 'string') return
    pieces.push(text.slice(copied, start), change)
    copied = at
  }

  skipSpace()
  visit(changes)
  return pieces.join('') + text.slice(copied)
}
