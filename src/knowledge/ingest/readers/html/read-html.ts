import type { Block } from '../../block.ts'
import type { Area } from './elements.ts'
import { type Item, textOf } from './html-table.ts'
import { HtmlReader } from './page-reader.ts'
import { declaresXhtml, tokenizeHtml } from './tokenize-html.ts'

/** A main or article element must hold a fair share of the text, since some pages leave it empty. */
const minMainShare = 0.25
const minArticleShare = 0.4
const menuShare = 0.6

const isMenu = ({ menu }: Item): boolean => menu !== undefined && menu.linked > menu.text * menuShare

const lengthIn = (items: Item[], areas: Area[]): number =>
  items.reduce((sum, { area, block }) => sum + (areas.includes(area) ? textOf(block).length : 0), 0)

const contentAreas: Area[] = ['main', 'article', 'body']

/** The areas that contain the content of the page. */
const areasToRead = (items: Item[]): Area[] => {
  const all = lengthIn(items, contentAreas)
  if (all === 0) return ['chrome']
  if (lengthIn(items, ['main']) >= all * minMainShare) return ['main']
  if (lengthIn(items, ['article']) >= all * minArticleShare) return ['article', 'main']
  return contentAreas
}

const contentOf = (items: Item[]): Block[] => {
  const withoutMenus = items.filter(item => !isMenu(item))
  // On a page of links, such as a list of articles, the menus are the content.
  const used = lengthIn(withoutMenus, contentAreas) > 0 ? withoutMenus : items
  const areas = areasToRead(used)
  return used.filter(item => areas.includes(item.area)).map(item => item.block)
}

/** The main text of a page, without menus, scripts and hidden elements. */
export function* readHtml(html: string, isXhtml = declaresXhtml(html)): Generator<Block> {
  const reader = new HtmlReader()
  tokenizeHtml(html, isXhtml, reader)
  reader.end()
  const blocks = contentOf(reader.items)
  const title = (reader.title.trim() || reader.chromeTitle).replace(/\s+/g, ' ')
  if (title !== '' && !blocks.some(block => block.kind === 'heading' && block.level === 1))
    yield { kind: 'heading', level: 1, text: title }
  yield* blocks
}
