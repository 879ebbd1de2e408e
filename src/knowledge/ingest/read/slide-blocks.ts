import type { Block } from '../block.ts'

/** A slide with its title first, wherever in the file it stands. */
export const slideBlocks = (page: number, title: string, blocks: Block[]): Block[] => {
  if (title === '' && blocks.length === 0) return []
  // Without a heading of its own the text would be taken as part of the slide before.
  return [{ kind: 'heading', level: 2, text: title || `Slide ${page}`, page }, ...blocks]
}
