import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { Block } from '../../../src/knowledge/ingest/block.ts'
import { readMarkdown } from '../../../src/knowledge/ingest/readers/markdown/read-markdown.ts'

/** The reference parser (CommonMark and GFM) is too slow for ingestion, but shows what our reader should find. */
const referenceBlocks = (text: string): string[] => {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return [...blocksIn(tree)]
}

const textOf = (node: Nodes): string => {
  if (node.type === 'break') return ' '
  if (node.type === 'html') return ''
  if ('value' in node) return node.value
  if ('alt' in node) return node.alt ?? ''
  return 'children' in node ? node.children.map(textOf).join('') : ''
}

const words = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')

/** Our reader keeps list and task markers in the text; the reference does not. */
const withoutMarker = (text: string): string => text.replace(/^(?:-|\d+[.)]) (?:\[[x ]\] )?/, '')

function* blocksIn(node: Nodes): Generator<string> {
  if (node.type === 'heading') yield `h${node.depth} ${words(textOf(node))}`
  else if (node.type === 'code') yield `code ${words(node.value)}`
  else if (node.type === 'paragraph') yield `text ${words(withoutMarker(textOf(node)))}`
  else if (node.type === 'table')
    yield `table ${node.children.map(row => words(row.children.map(textOf).join(' '))).join(' / ')}`
  else if ('children' in node) for (const child of node.children) yield* blocksIn(child)
}

const summaryOf = (block: Block): string => {
  if (block.kind === 'heading') return `h${block.level} ${words(block.text)}`
  if (block.kind === 'code') return `code ${words(block.text)}`
  if (block.kind === 'table')
    return `table ${[block.header ?? [], ...block.rows].map(row => words(row.join(' '))).join(' / ')}`
  return `text ${words(withoutMarker(block.text))}`
}

const ownBlocks = (text: string): string[] => [...readMarkdown(text)].map(summaryOf)

const documents = ['README.md', ...readdirSync('docs').map(name => `docs/${name}`)]

describe('Markdown blocks agree with the reference parser', () => {
  for (const path of documents.filter(name => name.endsWith('.md')))
    it(`for ${path}`, () => {
      const text = readFileSync(path, 'utf8')
      assert.deepEqual(ownBlocks(text), referenceBlocks(text))
    })

  for (const text of [
    '# a\n## b ##\nc\n===\n\n***\n\nd\n- - -\ne',
    '- a\n\n  b\n- c\n  1. d\n     e\n  2. f\n\ng',
    '> a\n>\n> > b\n> - c\n\nd',
    '```js\na\n\nb\n```\n~~~\n```\n~~~\n\n    c\n\n    d\n\ne',
    '| a | b |\n|---|:-:|\n| `c` | d \\| e |\n| f |\n\ng | h',
    'a *b* **c** ***d*** _e_ __f__ ~~g~~ `h` ``i`j`` \\*k\\*',
    '[a](b "c") ![d](e) [f][g] [g] <https://h.i>\n\n[g]: /url',
    'a  \nb\\\nc\nd &amp; &lt;e&gt; &#20013;',
    '1) a\n2) b\n\n* c\n+ d\n\n- [x] e\n- [ ] f',
  ])
    it(`for ${JSON.stringify(text)}`, () => {
      assert.deepEqual(ownBlocks(text), referenceBlocks(text))
    })
})
