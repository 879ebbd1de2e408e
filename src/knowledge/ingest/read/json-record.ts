import type { Block } from '../block.ts'
import { JsonNumber, type JsonValue } from './json-parser.ts'

/** Longer strings are texts of their own. */
const longText = 400
/** Pictures and the like, written as letters. */
const encodedData = /^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_\r\n-]{600,}={0,2}\s*$/
const titleKeys = [
  'title',
  'name',
  'question',
  'subject',
  'id',
  'key',
  '标题',
  '名称',
  '姓名',
  '问题',
  '编号',
]

export interface Leaf {
  path: string
  text: string
}

const scalarText = (value: string | JsonNumber | boolean | null): string =>
  value instanceof JsonNumber ? value.text : value === null ? '' : String(value)

const isScalar = (value: JsonValue): value is string | JsonNumber | boolean | null =>
  !Array.isArray(value) && !(value instanceof Map)

const isShort = (value: JsonValue): boolean => isScalar(value) && scalarText(value).length <= 60

/** The values with the way to each. The depth is bounded by the parser. */
export function* leavesOf(value: JsonValue, path: string): Generator<Leaf> {
  if (isScalar(value)) {
    const text = scalarText(value)
    if (text.trim() !== '' && !encodedData.test(text)) yield { path, text }
  } else if (value instanceof Map) {
    for (const [key, inner] of value) yield* leavesOf(inner, path === '' ? key : `${path}.${key}`)
  } else if (value.length > 0 && value.every(isShort)) {
    yield* shortList(value, path)
  } else for (const [index, inner] of value.entries()) yield* leavesOf(inner, `${path}[${index}]`)
}

const namesPerLine = 50

/** Tags and the like are read as one line. */
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

export const isLongText = (leaf: Leaf): boolean => leaf.text.length > longText || /\n\s*\n/.test(leaf.text)

export const lineOf = ({ path, text }: Leaf): string => (path === '' ? text : `${path}: ${text}`)

/** A long text under a heading that tells where it was found. */
export function* longTextBlocks({ path, text }: Leaf, level: number): Generator<Block> {
  if (path !== '') yield { kind: 'heading', level, text: path }
  for (const part of text.split(/\n[^\S\n]*\n/))
    if (part.trim() !== '') yield { kind: 'paragraph', text: part.trim() }
}

const charactersPerParagraph = 2000

/** Lines that belong together, in paragraphs of a readable length. */
export function* lineParagraphs(leaves: Iterable<Leaf>): Generator<Block> {
  let lines: string[] = []
  let length = 0
  for (const leaf of leaves) {
    const line = lineOf(leaf)
    if (lines.length > 0 && length + line.length > charactersPerParagraph) {
      yield { kind: 'paragraph', text: lines.join('\n') }
      lines = []
      length = 0
    }
    lines.push(line)
    length += line.length
  }
  if (lines.length > 0) yield { kind: 'paragraph', text: lines.join('\n') }
}

/** What a person would call the record. */
export const titleOf = (leaves: Leaf[], fallback: string): string => {
  for (const key of titleKeys) {
    const found = leaves.find(leaf => leaf.path.toLowerCase() === key && leaf.text.length <= 100)
    if (found) return found.text.replaceAll('\n', ' ')
  }
  return fallback
}
