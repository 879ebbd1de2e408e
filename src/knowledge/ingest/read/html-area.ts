import type { Attributes } from './html-tokens.ts'

/** Which part of a page a text stands in. Chrome is what every page of a site shows around its content. */
export type Area = 'main' | 'article' | 'body' | 'chrome'

const dropped = new Set(
  (
    'script style template svg noscript iframe object embed audio video canvas select button textarea datalist ' +
    'rt rp noframes noembed frameset map annotation annotation-xml'
  ).split(' '),
)
const chromeRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'complementary',
  'menu',
  'menubar',
])

/** Whether a reader of the page would not see the element at all. */
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
  // The header of an article holds its title; the header of the page holds the name of the site.
  if ((name === 'header' || name === 'footer') && parent === 'body' && !inSection) return 'chrome'
  if (name === 'main' || role === 'main') return 'main'
  return name === 'article' && parent === 'body' ? 'article' : parent
}

const menuNames =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|pagination|pager|footer|toolbar|topbar|links|friendlinks?|sitemap|share)(?:$|[\s_-])/i

/** Elements that are named like a menu. They are menus if they also consist of links. */
export const isNamedLikeMenu = (name: string, attributes: Attributes): boolean => {
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false
  const names = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`
  return names.length > 1 && menuNames.test(names.slice(0, 500))
}
