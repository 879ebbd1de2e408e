import { Composer, type Document, Lexer, LineCounter, Parser } from 'yaml'
import { limits } from '../contract/limits.ts'
import { unusableFile } from './app-error.ts'
import { countValues } from './count-values.ts'
import { exactNumber } from './parse-in-pieces.ts'
import type { Pausable } from './slices.ts'

/** Python writes an alias for an object that occurs twice; a file with many aliases is an attempt to exhaust memory. */
const maxAliases = 100
const lexemesPerPause = 500
/** Settings of a node are less deep in the graph than in the file. */
const maxDepth = limits.graphDepth

/** JSON is YAML, too. Finding duplicate keys takes quadratic time, so the last one counts. */
const options = { uniqueKeys: false, stringKeys: true, intAsBigInt: true, logLevel: 'silent' } as const

/** The lexeme that precedes the text of a scalar. */
const scalarMark = '\u001f'

/** The value of a YAML file. Pauses while it reads; tokens become values in one piece, so their number is limited. */
export function* parseYaml(text: string): Pausable<unknown> {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const documents: Document.Parsed[] = []
  try {
    yield* compose(text, lines, documents)
    const [document] = documents
    if (!document || documents.length > 1) throw unusableFile('it must hold one YAML document')
    const error = document.errors[0]
    if (error) {
      if (/call stack/.test(error.message)) throw tooDeep()
      const { line, col } = lines.linePos(error.pos[0])
      throw unusableFile(`line ${line}, column ${col}: ${error.message}`)
    }
    return checked(document.toJS({ maxAliasCount: maxAliases, reviver: digitsOf }))
  } catch (error) {
    // The library throws a ReferenceError for too many aliases. On thousands of levels it overflows the stack, which it
    // reports as an error of the document or throws.
    if (error instanceof ReferenceError) throw tooManyAliases()
    if (error instanceof RangeError) throw tooDeep()
    throw error
  }
}

/** An integer that would lose digits becomes a text, as in `parseKeepingDigits`. */
const digitsOf = (_key: unknown, value: unknown): unknown =>
  typeof value === 'bigint' ? exactNumber(String(value)) : value

const tooDeep = () => unusableFile(`its YAML is nested deeper than ${maxDepth} levels`)

const tooManyAliases = () => unusableFile(`its YAML has more than ${maxAliases} aliases, or an unknown one`)

function* compose(text: string, lines: LineCounter, documents: Document.Parsed[]): Pausable<void> {
  const parser = new Parser(lines.addNewLine)
  const composer = new Composer(options)
  let count = 0
  let aliases = 0
  let before = ''
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token))
    count += 1
    // The library looks up every alias among all others, which takes quadratic time.
    if (lexeme.startsWith('*') && before !== scalarMark) aliases += 1
    if (aliases > maxAliases) throw tooManyAliases()
    if (count > limits.importTokens)
      throw unusableFile(`it has more than ${limits.importTokens} YAML tokens; split it`)
    before = lexeme
    if (count % lexemesPerPause === 0) yield
  }
  for (const token of parser.end()) documents.push(...composer.next(token))
  documents.push(...composer.end(true, text.length))
}

/** An alias inside its own anchor gives a value that contains itself, and so has no end. */
function checked(value: unknown): unknown {
  if (depthOf(value, maxDepth) > maxDepth) throw tooDeep()
  if (countValues(value, limits.graphValues) > limits.graphValues)
    throw unusableFile(`it has more than ${limits.graphValues} values`)
  refuseUnstorable(value)
  return value
}

/** Escapes can produce characters that no database stores as text. */
function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw unusableFile('it contains a null character or half of a surrogate pair')
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      refuseUnstorable(name)
      refuseUnstorable(inner)
    }
}

function depthOf(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null || max < 0) return 0
  let deepest = 0
  for (const inner of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(inner, max - 1))
    if (deepest > max) break
  }
  return deepest + 1
}
