import { menuMark } from '../../../text/menu-mark.ts'
import type { Block } from '../../block.ts'
import type { Area } from './elements.ts'
import { type Item, textOf } from './html-table.ts'

/** A main or article element must hold a fair share of the text, since some pages leave it empty. */
const minMainShare = 0.25
const minArticleShare = 0.4
const menuShare = 0.6
const linkShare = 0.5

const isMenu = ({ menu }: Item): boolean => menu !== undefined && menu.linked > menu.text * menuShare

const lengthIn = (items: Item[], areas: Area[]): number =>
  items.reduce((sum, { area, block }) => sum + (areas.includes(area) ? textOf(block).length : 0), 0)

const contentAreas: Area[] = ['main', 'article', 'body']

const areasToRead = (items: Item[]): Area[] => {
  const all = lengthIn(items, contentAreas)
  if (all === 0) return ['chrome', 'navigation']
  if (lengthIn(items, ['main']) >= all * minMainShare) return ['main']
  if (lengthIn(items, ['article']) >= all * minArticleShare) return ['article', 'main']
  return contentAreas
}

/** Whether an item is mostly links, which lead to other pages instead of saying something themselves. */
const isLinks = ({ block, linked }: Item): boolean => linked > textOf(block).length * linkShare

/** Text around the content, such as a note beside an article, follows it without structure of its own. */
const asText = ({ block }: Item): Block =>
  block.kind === 'heading' ? { kind: 'paragraph', text: block.text } : block

/** Separates the text of a page from its menus, which lead to other pages or operate this one. */
export const partsOf = (items: Item[]): { text: Block[]; menus: Item[] } => {
  const withoutMenus = items.filter(item => !isMenu(item))
  // On a page of links, such as a list of articles, the menus are the content.
  const used = lengthIn(withoutMenus, contentAreas) > 0 ? withoutMenus : items
  const areas = areasToRead(used)
  const content = new Set(used.filter(({ area }) => areas.includes(area)))
  const isNote = (item: Item): boolean =>
    !content.has(item) && item.area !== 'navigation' && item.area !== 'control' && !isLinks(item)
  const notes = new Set(used.filter(isNote))
  return {
    text: [...[...content].map(item => item.block), ...[...notes].map(asText)],
    menus: items.filter(item => !content.has(item) && !notes.has(item)),
  }
}

/** The lines of a menu are short; joined into paragraphs up to this length they are easier to read and to split. */
const maxLine = 1000

/** Menus are a section of their own after the text, so that they can be found and do not mix with it. */
export function* menuBlocks(items: Item[], isApart: boolean): Generator<Block> {
  const apart = isApart && { apart: true }
  if (isApart && items.length > 0) yield { kind: 'heading', level: 1, text: `${menuMark} Menu`, ...apart }
  let line = ''
  let label = ''
  for (const item of items) {
    const text = textOf(item.block).replace(/^- /, '').replace(/\s+/g, ' ')
    if (line !== '' && (item.label !== label || line.length + text.length > maxLine)) {
      yield { kind: 'paragraph', text: line, ...apart }
      line = ''
    }
    if (item.label !== label && item.label !== '')
      yield { kind: 'heading', level: 2, text: item.label, ...apart }
    label = item.label
    line += line === '' ? text : ` · ${text}`
  }
  if (line !== '') yield { kind: 'paragraph', text: line, ...apart }
}
