/**
 * Begins the heading of the menus of a web page. The heading is stored with each chunk, so that the index knows menus
 * when it is rebuilt, too.
 */
export const menuMark = '☰'

export const isMenu = (heading: readonly string[]): boolean => heading[0]?.startsWith(menuMark) ?? false
