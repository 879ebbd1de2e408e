/**
 * The JSON of a model's answer, also where the model put it into a fence or between sentences; undefined where there
 * is none.
 */
export function readJsonAnswer(text: string): unknown {
  const fenced = /```(?:json)?\s*\n?([\s\S]*?)```/i.exec(text)?.[1]
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  const embraced = from >= 0 && to > from ? text.slice(from, to + 1) : undefined
  for (const candidate of [text, fenced, embraced]) {
    if (candidate === undefined) continue
    try {
      return JSON.parse(candidate)
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined
}
