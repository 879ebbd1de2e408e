import type { Block } from '../../block.ts'
import { JsonParser, type JsonValue } from './json-parser.ts'
import { readJson } from './read-json.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'

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
