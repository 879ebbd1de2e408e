import { isTooDeep } from '../tools/json-depth.ts'

/**
 * The JSON of a model's answer, also where the model put it into a fence or between sentences; undefined where there
 * is none, or it is nested too deeply to be handed on.
 */
export function readJsonAnswer(text: string): unknown {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  const embraced = from >= 0 && to > from ? text.slice(from, to + 1) : undefined
  for (const candidate of [text, fencedIn(text), embraced]) {
    if (candidate === undefined) continue
    try {
      const value: unknown = JSON.parse(candidate)
      return isTooDeep(candidate) ? undefined : value
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined
}

const fence = '```'

function fencedIn(text: string): string | undefined {
  const from = text.indexOf(fence)
  const to = from < 0 ? -1 : text.indexOf(fence, from + fence.length)
  if (to < 0) return undefined
  const inside = text.slice(from + fence.length, to)
  return (inside.slice(0, 4).toLowerCase() === 'json' ? inside.slice(4) : inside).trim()
}
