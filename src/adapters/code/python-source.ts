import { rewriteFormatting } from './python-format.ts'

/** A module that we provide: all names in it are functions except the constants. */
export interface ModuleNames {
  readonly constants: ReadonlySet<string>
}

/** The variable of the code that holds one of our objects. */
export const variableOf = (name: string): string => `__${name.replaceAll('.', '_')}__`

const raw = String.raw
const comment = raw`#.*`
const string = [
  raw`(?<prefix>(?<!\w)[rRbBuUfF]{1,2})?`,
  raw`(?:(?<quote>"""|''')(?:\\[\s\S]|(?!\k<quote>)[\s\S])*(?:\k<quote>)?`,
  raw`|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?)`,
].join('')
const importStatement = [
  raw`^(?<indent>[ \t]*)(?:import[ \t]+(?<imported>[\w., \t]+)`,
  raw`|from[ \t]+(?<source>[\w.]+)[ \t]+import[ \t]+(?<names>\([^)]*\)|[\w, \t]+))`,
].join('')
const clockCall = raw`\b(?:datetime\.)?(?<type>datetime|date)\.(?<method>now|utcnow|today)(?=\()`

const inBrackets = raw`\((?:[^()\n]|\([^()\n]*\))*\)`
const enumeration = raw`\benumerate\((?<iterable>(?:[^()\n]|${inBrackets})*?),[ \t]*start[ \t]*=[ \t]*`
const timeFormat = raw`\.strftime\((?<format>"[^"\n]*"|'[^'\n]*')`

const pieces = new RegExp(
  [comment, string, importStatement, clockCall, enumeration, timeFormat].join('|'),
  'gm',
)
const clockCalls = new RegExp(clockCall, 'g')

/**
 * The code as the interpreter can run it, line by line, so that the lines of exceptions stay right:
 * - The interpreter has a fixed set of modules. Imports of our modules become assignments: `import json, time as t` is
 *   `import json; t = __time__`.
 * - It has no `"…" % values` and no `"…".format(…)`, which become f-strings where the format is a literal.
 * - Its `enumerate` takes `start` only by position, and its `%f` has nine digits unless six are requested.
 * - It has no clock: `datetime.now()` becomes `__clock__.now()`.
 */
export function prepareSource(code: string, modules: ReadonlyMap<string, ModuleNames>): string {
  const usesClock = /\bdatetime\b/.test(code)
  return rewriteFormatting(code).replace(pieces, (text, ...values) => {
    const found = values.at(-1) as Record<string, string | undefined>
    if (found['imported'] !== undefined) return found['indent'] + importModules(found['imported'], modules)
    if (found['names'] !== undefined) return importNames(text, found, modules)
    if (found['iterable'] !== undefined) return `enumerate(${found['iterable']}, `
    if (found['format'] !== undefined) return `.strftime(${found['format'].replaceAll('%f', '%6f')}`
    if (found['method'] !== undefined) return usesClock ? clockName(text, found) : text
    // The braces of an f-string contain code.
    const isCode = usesClock && /f/i.test(found['prefix'] ?? '')
    return isCode ? text.replace(clockCalls, (call, type, method) => clockName(call, { type, method })) : text
  })
}

/** The functions of the code besides `main`: the interpreter knows no name that a function uses before it is defined. */
export const functionNames = (code: string): string[] => [
  ...new Set(Array.from(code.matchAll(/^(?:async )?def (?!main\b|__)(\w+)/gm), match => match[1]!)),
]

function clockName(text: string, { type, method }: Record<string, string | undefined>): string {
  if (type === 'datetime') return `${variableOf('clock')}.${method}`
  return method === 'today' ? `${variableOf('clock')}.today_date` : text
}

/** `name` or `name as alias`. */
function parts(each: string): readonly [name: string, alias: string | undefined] {
  const [name = '', , alias] = each.trim().split(/\s+/)
  return [name, alias]
}

const listed = (text: string): string[] =>
  text
    .replace(/[()]|#.*/g, ' ')
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')

function importModules(imported: string, modules: ReadonlyMap<string, ModuleNames>): string {
  return listed(imported)
    .map(each => {
      const [name, alias] = parts(each)
      // Only `urllib.parse` of `urllib` exists.
      if (!modules.has(name) && name !== 'urllib') return `import ${each}`
      // `import urllib.parse` is used as urllib.parse.quote(…).
      const [top = name] = name.split('.')
      return alias === undefined ? `${top} = ${variableOf(top)}` : `${alias} = ${variableOf(name)}`
    })
    .join('; ')
}

/** Functions of a module can only be called, so each becomes a function of its own. */
function importNames(
  text: string,
  { indent = '', source = '', names = '' }: Record<string, string | undefined>,
  modules: ReadonlyMap<string, ModuleNames>,
): string {
  // This import changes nothing in the interpreter.
  if (source === '__future__') return `${indent}pass`
  const module = modules.get(source)
  if (module === undefined) return text
  const assignments = listed(names).map(each => {
    const [name, alias = name] = parts(each)
    const attribute = `${variableOf(source)}.${name}`
    if (module.constants.has(name)) return `${alias} = ${attribute}`
    return `${alias} = lambda *values, **options: ${attribute}(*values, **options)`
  })
  return indent + assignments.join('; ') + '\n'.repeat(names.split('\n').length - 1)
}
