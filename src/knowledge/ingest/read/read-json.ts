import type { Block } from '../block.ts'
import { JsonParser, type JsonValue } from './json-parser.ts'
import { isLongText, type Leaf, leavesOf, lineParagraphs, longTextBlocks, titleOf } from './json-record.ts'

interface RecordState {
  /** Once a record has headings, all that follow get one too: else they would seem to belong below it. */
  headed: boolean
}

function* recordBlocks(value: JsonValue, name: string, level: number, state: RecordState): Generator<Block> {
  const leaves = [...leavesOf(value, '')]
  const long = leaves.filter(isLongText)
  // A record that is one text needs no heading for it.
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

/** The elements of a list: records each for itself, bare values in lines of several. */
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
    yield* lineParagraphs(leavesOf(scalars, path))
    if (scalars.at(-1) !== value) yield* recordBlocks(value, `${path}[${index}]`, level, state)
    scalars = []
  }
  yield* lineParagraphs(leavesOf(scalars, path))
}

/** One object, such as settings or the answer of an interface, whose members may be long lists of records. */
function* readObject(parser: JsonParser): Generator<Block> {
  let leaves: Leaf[] = []
  let headed = false
  function* flush(): Generator<Block> {
    const lines = leaves.filter(leaf => !isLongText(leaf))
    // What stands after a list must not seem to belong to it.
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

/**
 * JSON, and JSON values one after another as in JSON Lines. Every value is written with the way to it, "price: 42", so
 * that a search for both finds it.
 */
export function* readJson(text: string, kind: 'json' | 'jsonl' = 'json'): Generator<Block> {
  const parser = new JsonParser(text)
  const state: RecordState = { headed: false }
  for (let count = 0; parser.peek() !== undefined; count++) {
    if (kind === 'json' && count === 0 && parser.peek() === '{') yield* readObject(parser)
    else if (kind === 'json' && parser.peek() === '[') yield* listBlocks(parser, '', 1)
    else yield* recordBlocks(parser.value(), `[${count}]`, 1, state)
  }
}
