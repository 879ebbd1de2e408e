import type { Attributes } from './tokenize-html.ts'

const inline =
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark meter nobr output picture ' +
  'progress q ruby rb rt rtc rp s samp small source span strike strong sub sup time tt u var wbr'
const block =
  'address article aside base blockquote body br button canvas caption center col colgroup dd details dialog dir div dl dt ' +
  'embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend ' +
  'li link main map math menu meta nav noframes noscript object ol optgroup option p param pre script search section select ' +
  'slot style summary svg table tbody td template textarea tfoot th thead title tr track ul video audio'

export const inlineTags = new Set(inline.split(' '))
/** Tags that separate the text before and after them. */
export const blockTags = new Set(block.split(' '))
/** Tags that have no end tag. */
export const voidTags = new Set(
  'area base basefont br col embed frame hr img input link meta param source track wbr'.split(' '),
)

/** The part of a page that a text belongs to. Chrome is what every page of a site shows around its content. */
export type Area = 'main' | 'article' | 'body' | 'chrome'

const dropped = new Set(
  (
    'script style template svg noscript iframe object embed audio video canvas select button textarea datalist ' +
    'rt rp noframes noembed frameset map annotation annotation-xml'
  ).split(' '),
)
const chromeRoles = new Set('navigation banner contentinfo search complementary menu menubar'.split(' '))

/** Whether the element is not rendered. */
export const isDropped = (name: string, attributes: Attributes): boolean => {
  if (dropped.has(name)) return true
  const hidden = attributes.get('hidden')
  if (hidden !== undefined && hidden !== 'until-found') return true
  if (attributes.get('aria-hidden') === 'true') return true
  const style = attributes.get('style')
  return style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 2000))
}

export const areaOf = (name: string, attributes: Attributes, parent: Area, inSection: boolean): Area => {
  if (parent === 'chrome') return 'chrome'
  const role = attributes.get('role') ?? ''
  if (name === 'nav' || name === 'aside' || chromeRoles.has(role)) return 'chrome'
  // The header of an article contains its title; the header of the page contains the name of the site.
  if ((name === 'header' || name === 'footer') && parent === 'body' && !inSection) return 'chrome'
  if (name === 'main' || role === 'main') return 'main'
  return name === 'article' && parent === 'body' ? 'article' : parent
}

const menuNames =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|pagination|pager|footer|toolbar|topbar|links|friendlinks?|sitemap|share)(?:$|[\s_-])/i

/** Elements named like a menu. They count as menus if they consist mostly of links. */
export const isNamedLikeMenu = (name: string, attributes: Attributes): boolean => {
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false
  const names = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`
  return names.length > 1 && menuNames.test(names.slice(0, 500))
}

/** Text length of an element named like a menu, and the share of it inside links. */
export interface MenuCount {
  text: number
  linked: number
}

interface ListState {
  ordered: boolean
  next: number
}

/** An open element with the state that its descendants inherit. */
export interface Frame {
  name: string
  block: boolean
  dropped: boolean
  link: boolean
  area: Area
  inSection: boolean
  menu: MenuCount | undefined
  list: ListState | undefined
}

const cells = ['td', 'th', 'caption']
const listOwners = new Set(['ul', 'ol', 'menu', 'dir', 'table', ...cells])
const inTable = new Set(['table'])
const rowParts = new Set(['tr', 'table', 'thead', 'tbody', 'tfoot'])
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const paragraph = new Set(['p'])
const rowGroups = new Set(['thead', 'tbody', 'tfoot', 'tr', ...cells])

interface Implied {
  closed: ReadonlySet<string>
  /** Ancestors at which the search for an element to close ends. */
  within: ReadonlySet<string>
}

const impliedBy = new Map<string, Implied>([
  ['li', { closed: new Set(['li']), within: listOwners }],
  ...['dt', 'dd'].map(
    name => [name, { closed: new Set(['dt', 'dd']), within: new Set(['dl', ...cells]) }] as const,
  ),
  ...['td', 'th'].map(name => [name, { closed: new Set(cells), within: rowParts }] as const),
  ['tr', { closed: new Set(['tr', ...cells]), within: inTable }],
  ...['thead', 'tbody', 'tfoot'].map(name => [name, { closed: rowGroups, within: inTable }] as const),
])

const endsHeading = new Set([
  ...headings,
  ...'p ul ol dl table section article main pre blockquote hr'.split(' '),
])
const headingNames = new Set(headings)

/** Elements that the end tag of an outer element cannot close. */
const scopes = new Set(['table', ...cells])
const tableParts = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', ...cells])

/** Deeper elements are ignored; their text is kept. */
const maxDepth = 256

const root: Frame = {
  name: '',
  block: true,
  dropped: false,
  link: false,
  area: 'body',
  inSection: false,
  menu: undefined,
  list: undefined,
}

/** The stack of open elements, with HTML's rules for missing and stray end tags. Its bounded depth keeps every tag cheap. */
export class Frames {
  readonly #open: Frame[] = []
  readonly #counts = new Map<string, number>()
  readonly #tooDeep = new Map<string, number>()
  readonly #onClose: (frame: Frame) => void

  constructor(onClose: (frame: Frame) => void) {
    this.#onClose = onClose
  }

  get top(): Frame {
    return this.#open.at(-1) ?? root
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  /** Returns false if the element is too deep to be tracked. */
  push(frame: Frame): boolean {
    if (this.#open.length >= maxDepth && (this.top.dropped || !frame.dropped)) {
      this.#tooDeep.set(frame.name, (this.#tooDeep.get(frame.name) ?? 0) + 1)
      return false
    }
    this.#open.push(frame)
    this.#counts.set(frame.name, (this.#counts.get(frame.name) ?? 0) + 1)
    return true
  }

  /** Closes the elements that a start tag implicitly ends. */
  closeImplied(name: string, block: boolean): void {
    if (block && this.has('p')) this.#popThrough(paragraph, undefined)
    if (endsHeading.has(name) && headings.some(each => this.has(each)))
      this.#popThrough(headingNames, undefined)
    const implied = impliedBy.get(name)
    if (implied) this.#popThrough(implied.closed, implied.within)
  }

  close(name: string): void {
    const tooDeep = this.#tooDeep.get(name) ?? 0
    if (tooDeep > 0) {
      this.#tooDeep.set(name, tooDeep - 1)
      return
    }
    if (!this.has(name)) return
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const frame = this.#open[index]!
      if (frame.name === name) {
        this.#popTo(index)
        return
      }
      if (scopes.has(frame.name) && !tableParts.has(name)) return
    }
  }

  closeAll(): void {
    this.#popTo(0)
  }

  /** Without `within`, the search ends at the first block element. */
  #popThrough(closed: ReadonlySet<string>, within: ReadonlySet<string> | undefined): void {
    let found = -1
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const frame = this.#open[index]!
      if (closed.has(frame.name)) found = index
      else if (within ? within.has(frame.name) : frame.block) break
    }
    if (found >= 0) this.#popTo(found)
  }

  #popTo(index: number): void {
    while (this.#open.length > index) {
      const frame = this.#open.pop()!
      this.#counts.set(frame.name, this.#counts.get(frame.name)! - 1)
      this.#onClose(frame)
    }
  }
}
