/**
 * Finds features that Python in code nodes lacks, from the text alone, because saving a graph must not run code. The
 * interpreter is in `adapters/code`; its tests check that it has these modules.
 */

export const pythonModules: readonly string[] = [
  ...['asyncio', 'base64', 'datetime', 'hashlib', 'json', 'logging', 'math', 'random', 're', 'string', 'sys'],
  ...['time', 'typing', 'urllib.parse', 'uuid'],
]

/** These can be imported, but their functions need files or the environment, which the code does not have. */
const emptyModules = ['os', 'pathlib']
const known: ReadonlySet<string> = new Set([...pythonModules, ...emptyModules, 'urllib', '__future__'])

const networkModules = /^(requests|httpx|aiohttp|urllib|urllib3|http|socket)\b/

export function missingModule(name: string): string {
  if (networkModules.test(name))
    return `there is no module ${name}, because code has no network: use an HTTP request node instead`
  return `there is no module ${name}; there are ${pythonModules.join(', ')}`
}

/** Strings and comments, which may contain anything. The closing quote is optional, so that no text is scanned twice. */
const texts =
  /#.*|(?<quote>"""|''')(?:\\[\s\S]|(?!\k<quote>)[\s\S])*(?:\k<quote>)?|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/g

const imports = /^[ \t]*(?:import[ \t]+(?<modules>[\w., \t]+)|from[ \t]+(?<source>[\w.]+)[ \t]+import\b)/gm

const lacking: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^[ \t]*class[ \t]+\w/gm, 'class definitions are not supported: use dicts and functions'],
  [/^[ \t]*match[ \t]+[^=.,\n]*:[ \t]*$/gm, 'match statements are not supported: use if and elif'],
  [/^[ \t]*del[ \t]+\w/gm, 'the del statement is not supported: use pop()'],
  [/[\w\]]\.format\(/g, 'format() needs a literal text before it: use an f-string'],
  [
    /\bos\.(?:path|environ|getenv|listdir|makedirs|remove)\b/g,
    'code has no files and no environment: pass what it needs as inputs',
  ],
  [/\.isprintable\(/g, 'isprintable() is not supported: compare with ord() or re'],
  [/\byield\b/g, 'generators with yield are not supported: return a list'],
]

const maxFindings = 20
/** Longer code is not examined to its end: every line could be an import, and the event loop waits for the check. */
const maxExaminedLength = 200_000
const maxLineLength = 60

/** A message for each module and each statement, with the first line that has it. */
export function findUnsupported(wholeCode: string): string[] {
  const code = wholeCode.slice(0, maxExaminedLength)
  // Blanks keep lines and columns.
  const bare = code.replace(texts, text => text.replace(/[^\n]/g, ' '))
  const found = new Map<string, number>()
  // The first line with each message comes first, so later ones are ignored.
  const add = (message: string, index: number): void => {
    if (!found.has(message) && found.size < maxFindings)
      found.set(message, bare.slice(0, index).split('\n').length)
  }
  for (const { index, groups = {} } of bare.matchAll(imports)) {
    const names = groups['source'] ?? groups['modules'] ?? ''
    for (const each of names.split(',')) {
      const [name = ''] = each.trim().split(/\s/)
      if (name !== '' && !known.has(name)) add(missingModule(name), index)
    }
  }
  for (const [pattern, advice] of lacking) for (const { index } of bare.matchAll(pattern)) add(advice, index)
  const lines = code.split('\n')
  const shown = (line: number): string => {
    const text = lines[line - 1]!.trim().replaceAll('"', "'")
    return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text
  }
  return [...found]
    .sort(([, one], [, other]) => one - other)
    .map(([message, line]) => `"${shown(line)}" in line ${line}: ${message}.`)
}
