import { endOfString } from './json-strings.ts'

/** New values as JSON texts, by key or index, nested like the JSON that they belong to. */
export type JsonChanges = Map<string, JsonChanges | string>

/** Replaces values in valid JSON; everything else stays as it is, character by character. */
export function replaceInJson(text: string, changes: JsonChanges): string {
  const pieces: string[] = []
  let at = 0
  let copied = 0

  const skipSpace = (): void => {
    while (/\s/.test(text[at] ?? '')) at++
  }

  const skipString = (): string => {
    const start = at
    at = endOfString(text, at) + 1
    return text.slice(start, at)
  }

  const skipValue = (): void => {
    for (let depth = 0; at < text.length; ) {
      const character = text[at]!
      const closes = character === '}' || character === ']'
      if (depth === 0 && (closes || /[,\s]/.test(character))) return
      if (character === '"') skipString()
      else {
        if (character === '{' || character === '[') depth++
        else if (closes) depth--
        at++
      }
      if (depth === 0 && (closes || character === '"')) return
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
