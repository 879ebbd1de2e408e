import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Element, Root } from 'hast'
import { closeHeadingGaps } from '../../console/src/ui/markdown/heading-levels.ts'

const element = (tagName: string, ...children: Element[]): Element => ({
  type: 'element',
  tagName,
  properties: {},
  children,
})

function levelsOf(...children: Element[]): string[] {
  const tree: Root = { type: 'root', children }
  closeHeadingGaps()(tree)
  const names = (node: Root | Element): string[] =>
    node.children.flatMap(child => (child.type === 'element' ? [child.tagName, ...names(child)] : []))
  return names(tree)
}

test('headings of an answer follow those of the page without gaps', () => {
  assert.deepEqual(levelsOf(element('h3'), element('p'), element('h3')), ['h3', 'p', 'h3'])
  assert.deepEqual(levelsOf(element('h1'), element('h4'), element('h2'), element('h3')), [
    ...['h3', 'h4', 'h4', 'h5'],
  ])
  assert.deepEqual(levelsOf(element('blockquote', element('h5')), element('h1')), ['blockquote', 'h3', 'h3'])
  assert.deepEqual(levelsOf(...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(name => element(name))), [
    'h3',
    'h4',
    'h5',
    'h6',
    'h6',
    'h6',
  ])
})
