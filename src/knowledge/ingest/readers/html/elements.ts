import type { Attributes } from './tokenize-html.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

export const inlineTags = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark meter nobr output picture ' +
    'progress q ruby rb rt rtc rp s samp small source span strike strong sub sup time tt u var wbr',
)
/** Tags that separate the text before and after them. */
export const blockTags = words(
  'address article aside base blockquote body br button canvas caption center col colgroup dd details dialog dir div dl dt ' +
    'embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend ' +
    'li link main map math menu meta nav noframes noscript object ol optgroup option p param pre script search section select ' +
    'slot style summary svg table tbody td template textarea tfoot th thead title tr track ul video audio',
)
export const voidTags = words(
  'area base basefont br col embed frame hr img input link meta param source track wbr',
)

/** Chrome surrounds the content on every page of a site. Controls operate the page or replace players. */
export type Area = 'main' | 'article' | 'body' | 'chrome' | 'navigation' | 'control'

const dropped = words('script style template embed rt rp frameset annotation annotation-xml')
/** Elements of a drawing whose text it does not show. */
export const unseenInDrawings = words('title desc metadata defs symbol')
const controls = words(
  'noscript iframe object audio video canvas select button textarea datalist noframes noembed map dialog',
)
const navigationRoles = words('navigation search menu menubar')
const chromeRoles = words('banner contentinfo complementary')

export const isDropped = (name: string, attributes: Attributes): boolean => {
  if (dropped.has(name)) return true
  const hidden = attributes.get('hidden')
  if (hidden !== undefined && hidden !== 'until-found') return true
  const style = attributes.get('style')
  return style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 2000))
}

export const areaOf = (name: string, attributes: Attributes, parent: Area, inSection: boolean): Area => {
  if (parent === 'control' || controls.has(name) || attributes.get('aria-hidden') === 'true') return 'control'
  if (parent === 'navigation') return parent
  const role = attributes.get('role') ?? ''
  if (name === 'nav' || navigationRoles.has(role)) return 'navigation'
  if (parent === 'chrome' || name === 'aside' || chromeRoles.has(role)) return 'chrome'
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

const landmarks = words('nav aside footer header search form section')

/** The name of a part of the page for screen readers, such as "Breadcrumb". */
export const landmarkLabel = (name: string, attributes: Attributes): string | undefined =>
  landmarks.has(name) || attributes.has('role') ? attributes.get('aria-label')?.slice(0, 100) : undefined

/** Text length of an element named like a menu, and the share of it inside links. */
export interface MenuCount {
  text: number
  linked: number
}

/** An open element with the state that its descendants inherit. */
export interface Frame {
  name: string
  block: boolean
  dropped: boolean
  link: boolean
  area: Area
  /** The label of the landmark around the element. */
  label: string
  inSection: boolean
  menu: MenuCount | undefined
  list: { ordered: boolean; next: number } | undefined
}

/** For each of the tags: the open elements that it closes, and the ancestors at which the search for them ends. */
const implied = (tags: string, closed: string, within: string) =>
  tags.split(' ').map(tag => [tag, { closed: words(closed), within: words(within) }] as const)

const impliedBy = new Map([
  ...implied('li', 'li', 'ul ol menu dir table td th caption'),
  ...implied('dt dd', 'dt dd', 'dl td th caption'),
  ...implied('td th', 'td th caption', 'tr table thead tbody tfoot'),
  ...implied('tr', 'tr td th caption', 'table'),
  ...implied('thead tbody tfoot', 'thead tbody tfoot tr td th caption', 'table'),
])

const paragraph = words('p')
const headings = words('h1 h2 h3 h4 h5 h6')
const endsHeading = words('h1 h2 h3 h4 h5 h6 p ul ol dl table section article main pre blockquote hr')

/** Elements that the end tag of an outer element cannot close. */
const scopes = words('table td th caption')
const tableParts = words('table thead tbody tfoot tr td th caption')

/** Deeper elements are ignored; their text is kept. */
const maxDepth = 256

const root: Frame = {
  name: '',
  block: true,
  dropped: false,
  link: false,
  area: 'body',
  label: '',
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
    if (endsHeading.has(name) && [...headings].some(each => this.has(each)))
      this.#popThrough(headings, undefined)
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
