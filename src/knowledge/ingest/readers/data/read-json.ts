import type { Block } from '../../block.ts'
import { groupsWithin } from '../../groups-within.ts'
import { JsonNumber, type JsonValue, JsonParser } from './json-parser.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'

/** Longer strings become paragraphs of their own. */
const longText = 400
const dataUrl = /^data:[\w/+.-]+;base64,/
const minEncodedLength = 600

/** Whether a text is Base64 data. Searches for another character: `[…]{600,}` overflows the stack. */
function isEncodedData(text: string): boolean {
  const data = text.trimEnd().replace(dataUrl, '').replace(/={1,2}$/, '')
  return data.length >= minEncodedLength && !/[^A-Za-z0-9+/_\r\n-]/.test(data)
}
const titleKeys = 'title name question subject id key 标题 名称 姓名 问题 编号'.split(' ')

interface Leaf {
  path: string
  text: string
}

const scalarText = (value: string | JsonNumber | boolean | null): string =>
  value instanceof JsonNumber ? value.text : value === null ? '' : String(value)

const isScalar = (value: JsonValue): value is string | JsonNumber | boolean | null =>
  !Array.isArray(value) && !(value instanceof Map)

const isShort = (value: JsonValue): boolean => isScalar(value) && scalarText(value).length <= 60

/** The scalar values with their paths. The parser bounds the depth. */
function* leavesOf(value: JsonValue, path: string): Generator<Leaf> {
  if (isScalar(value)) {
    const text = scalarText(value)
    if (text.trim() !== '' && !isEncodedData(text)) yield { path, text }
  } else if (value instanceof Map) {
    for (const [key, inner] of value) yield* leavesOf(inner, path === '' ? key : `${path}.${key}`)
  } else if (value.length > 0 && value.every(isShort)) {
    yield* shortList(value, path)
  } else for (const [index, inner] of value.entries()) yield* leavesOf(inner, `${path}[${index}]`)
}

const namesPerLine = 50

/** Short lists, such as tags, become one line. */
function* shortList(values: JsonValue[], path: string): Generator<Leaf> {
  for (let from = 0; from < values.length; from += namesPerLine) {
    const part = values
      .slice(from, from + namesPerLine)
      .filter(isScalar)
      .map(scalarText)
    const text = part.filter(each => each !== '').join(', ')
    if (text !== '') yield { path, text }
  }
}

const isLongText = (leaf: Leaf): boolean => leaf.text.length > longText || /\n\s*\n/.test(leaf.text)

/** A long text under a heading with its path. */
function* longTextBlocks({ path, text }: Leaf, level: number): Generator<Block> {
  if (path !== '') yield { kind: 'heading', level, text: path }
  for (const part of text.split(/\n[^\S\n]*\n/))
    if (part.trim() !== '') yield { kind: 'paragraph', text: part.trim() }
}

const charactersPerParagraph = 2000

/** Lines joined into paragraphs of readable length. */
function* lineParagraphs(leaves: Leaf[]): Generator<Block> {
  const lines = leaves.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`))
  for (const group of groupsWithin(lines, line => line.length, charactersPerParagraph))
    yield { kind: 'paragraph', text: group.join('\n') }
}

const titleOf = (leaves: Leaf[], fallback: string): string => {
  for (const key of titleKeys) {
    const found = leaves.find(leaf => leaf.path.toLowerCase() === key && leaf.text.length <= 100)
    if (found) return found.text.replaceAll('\n', ' ')
  }
  return fallback
}

interface RecordState {
  /** Once a record has a heading, all later ones get one too; otherwise they would appear to be part of it. */
  headed: boolean
}

function* recordBlocks(value: JsonValue, name: string, level: number, state: RecordState): Generator<Block> {
  const leaves = [...leavesOf(value, '')]
  const long = leaves.filter(isLongText)
  // A record that is a single text needs no heading.
  if (long.length === 1 && leaves.length === 1 && leaves[0]!.path === '') {
    yield* longTextBlocks(leaves[0]!, level)
    return
  }
  state.headed ||= long.length > 0
  if (state.headed && leaves.length > 0) yield { kind: 'heading', level, text: titleOf(leaves, name) }
  yield* lineParagraphs(leaves.filter(leaf => !isLongText(leaf)))
  for (const leaf of long) yield* longTextBlocks(leaf, level + 1)
}

const scalarsTogether = 50

/** The elements of a list: one block or more per record, several scalars per line. */
function* listBlocks(parser: JsonParser, path: string, level: number): Generator<Block> {
  const state: RecordState = { headed: false }
  let scalars: JsonValue[] = []
  for (const index of parser.elements()) {
    const next = parser.peek()
    const value = parser.value(2)
    if (next !== '{' && next !== '[' && !(typeof value === 'string' && value.length > scalarsTogether)) {
      scalars.push(value)
      if (scalars.length < scalarsTogether) continue
    }
    yield* lineParagraphs([...leavesOf(scalars, path)])
    if (scalars.at(-1) !== value) yield* recordBlocks(value, `${path}[${index}]`, level, state)
    scalars = []
  }
  yield* lineParagraphs([...leavesOf(scalars, path)])
}

/** One object, such as a configuration or an API response, whose members may be long lists of records. */
function* readObject(parser: JsonParser): Generator<Block> {
  let leaves: Leaf[] = []
  let headed = false
  function* flush(): Generator<Block> {
    const lines = leaves.filter(leaf => !isLongText(leaf))
    // Members after a list must not appear to be part of it.
    if (headed && lines.length > 0)
      yield { kind: 'heading', level: 1, text: /^[^.[]*/.exec(lines[0]!.path)![0] }
    yield* lineParagraphs(lines)
    for (const leaf of leaves.filter(isLongText)) {
      headed = true
      yield* longTextBlocks(leaf, 1)
    }
    leaves = []
  }
  for (const key of parser.keys()) {
    if (parser.peek() === '[' && parser.holdsRecords()) {
      yield* flush()
      yield { kind: 'heading', level: 1, text: key }
      yield* listBlocks(parser, key, 2)
      headed = true
    } else for (const leaf of leavesOf(parser.value(1), key)) leaves.push(leaf)
  }
  yield* flush()
}

/** Every value is written with its path, such as "price: 42", so that a search for both matches. */
export function* readJson(text: string, kind: 'json' | 'jsonl' = 'json'): Generator<Block> {
  const parser = new JsonParser(text)
  const state: RecordState = { headed: false }
  for (let count = 0; parser.peek() !== undefined; count++) {
    if (kind === 'json' && count === 0 && parser.peek() === '{') yield* readObject(parser)
    else if (kind === 'json' && parser.peek() === '[') yield* listBlocks(parser, '', 1)
    else yield* recordBlocks(parser.value(), `[${count}]`, 1, state)
  }
}

const member = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  value instanceof Map ? value.get(key) : undefined

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])

/** Notebooks store text as a string or as a list of lines. */
const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string'
    ? value
    : listOf(value)
        .filter(line => typeof line === 'string')
        .join('')

function* codeBlocks(text: string): Generator<Block> {
  if (text.trim() !== '') yield { kind: 'code', text }
}

/** Jupyter notebooks: the text and code of the cells and the textual output, without images. */
export function* readNotebook(text: string): Generator<Block> {
  const notebook = new JsonParser(text).value()
  const cells = member(notebook, 'cells')
  if (!Array.isArray(cells)) {
    yield* readJson(text)
    return
  }
  for (const cell of cells) {
    const source = textOf(member(cell, 'source'))
    if (member(cell, 'cell_type') === 'markdown') yield* readMarkdown(source)
    else yield* codeBlocks(source)
    for (const output of listOf(member(cell, 'outputs'))) {
      yield* codeBlocks(textOf(member(output, 'text')))
      yield* codeBlocks(textOf(member(member(output, 'data'), 'text/plain')))
    }
  }
}
