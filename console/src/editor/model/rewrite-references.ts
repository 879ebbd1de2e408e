const opening = '{{#'
const closing = '#}}'
/** The limit of the server, which does not resolve ids with more dots. */
const maxDots = 16

/**
 * Rewrites every `{{#path#}}` of a text for which `change` returns a new path. If several openings precede a closing,
 * the last one counts, as on the server. Spaces around the path are kept.
 */
function rewriteReferences(text: string, change: (path: string) => string | undefined): string {
  let rewritten = ''
  let position = 0
  for (;;) {
    const first = text.indexOf(opening, position)
    const close = first === -1 ? -1 : text.indexOf(closing, first + opening.length)
    if (close === -1) return rewritten + text.slice(position)
    const start = text.lastIndexOf(opening, close - opening.length) + opening.length
    const between = text.slice(start, close)
    const path = between.trim()
    const changed = change(path)
    rewritten += text.slice(position, start)
    rewritten += changed === undefined ? between : between.replace(path, () => changed)
    rewritten += closing
    position = close + closing.length
  }
}

/** The node that a path such as `llm_1.text` refers to: the longest matching id. */
export function nodeOfPath(path: string, ids: { has(id: string): boolean }): string | undefined {
  const parts = path.split('.')
  if (parts.length < 2 || parts.some(part => part.trim() === '')) return undefined
  if (['sys', 'memory', 'secret'].includes(parts[0]!)) return undefined
  for (let count = Math.min(parts.length - 1, maxDots + 1); count > 0; count--) {
    const id = parts.slice(0, count).join('.')
    if (ids.has(id)) return id
  }
  return undefined
}

/** Redirects references to renamed nodes; `renamed` maps old to new ids. */
export function renameReferences<Value>(
  value: Value,
  renamed: ReadonlyMap<string, string>,
  ids: { has(id: string): boolean },
): Value {
  const inText = (text: string): string =>
    rewriteReferences(text, path => {
      const id = nodeOfPath(path, ids)
      const to = id === undefined ? undefined : renamed.get(id)
      return id === undefined || to === undefined ? undefined : to + path.slice(id.length)
    })
  return mapTexts(value, text => (text.includes(opening) ? inText(text) : text)) as Value
}

/** The same value with every text changed; unchanged parts stay the same object. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const elements = value.map(element => mapTexts(element, change))
    return elements.some((element, index) => element !== value[index]) ? elements : value
  }
  const members = Object.entries(value).map(([name, held]) => [name, held, mapTexts(held, change)] as const)
  if (members.every(([, held, mapped]) => held === mapped)) return value
  // Not by assignment, which treats a member called "__proto__" differently.
  return Object.fromEntries(members.map(([name, , mapped]) => [name, mapped]))
}
