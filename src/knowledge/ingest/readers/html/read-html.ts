import type { Block } from '../../block.ts'
import type { Area } from './elements.ts'
import { type Item, textOf } from './html-table.ts'
import { HtmlReader } from './page-reader.ts'
import { tokenizeHtml } from './tokenize-html.ts'

/** A part of the page that claims to be the main one must hold a fair share of the text, since some are left empty. */
const leastMainShare = 0.25
const leastArticleShare = 0.4
const menuShare = 0.6

const isMenu = ({ menu }: Item): boolean => menu !== undefined && menu.linked > menu.text * menuShare

const lengthIn = (items: Item[], areas: Area[]): number =>
  items.reduce((sum, { area, block }) => sum + (areas.includes(area) ? textOf(block).length : 0), 0)

const contentAreas: Area[] = ['main', 'article', 'body']

/** The areas whose text is what the page is about. */
const areasToRead = (items: Item[]): Area[] => {
  const all = lengthIn(items, contentAreas)
  if (all === 0) return ['chrome']
  if (lengthIn(items, ['main']) >= all * leastMainShare) return ['main']
  if (lengthIn(items, ['article']) >= all * leastArticleShare) return ['article', 'main']
  return contentAreas
}

const contentOf = (items: Item[]): Block[] => {
  const withoutMenus = items.filter(item => !isMenu(item))
  // A page of nothing but links, such as a list of articles, is all there is.
  const used = lengthIn(withoutMenus, contentAreas) > 0 ? withoutMenus : items
  const areas = areasToRead(used)
  return used.filter(item => areas.includes(item.area)).map(item => item.block)
}

/** The main text of a page, without its menus, scripts and what is not shown. */
export function* readHtml(html: string): Generator<Block> {
  const reader = new HtmlReader()
  tokenizeHtml(html, reader)
  reader.end()
  const blocks = contentOf(reader.items)
  const title = (reader.title.trim() || reader.chromeTitle).replace(/\s+/g, ' ')
  if (title !== '' && !blocks.some(block => block.kind === 'heading' && block.level === 1))
    yield { kind: 'heading', level: 1, text: title }
  yield* blocks
}
