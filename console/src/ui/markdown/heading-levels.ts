import type { Element, Root } from 'hast'

/** The page and the conversation have headings of their own. */
const levelsAbove = 2

/**
 * Moves headings below those of the page and closes gaps between levels: models begin with any level and skip some,
 * which screen readers present as missing parts.
 */
export const closeHeadingGaps = () => (tree: Root) => {
  const open: number[] = []
  const visit = (node: Root | Element): void => {
    for (const child of node.children) {
      if (child.type !== 'element') continue
      const level = /^h[1-6]$/.test(child.tagName) ? Number(child.tagName[1]) : undefined
      if (level === undefined) {
        visit(child)
        continue
      }
      while (open.length > 0 && open.at(-1)! >= level) open.pop()
      open.push(level)
      child.tagName = `h${Math.min(6, levelsAbove + open.length)}`
    }
  }
  visit(tree)
}
