/** Begins the heading of a page's menus, so that the index knows them when it is rebuilt, too. */
export const menuMark = '☰'

export const isMenu = (heading: readonly string[]): boolean => heading[0]?.startsWith(menuMark) ?? false
