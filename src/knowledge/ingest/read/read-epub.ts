import type { Block } from '../block.ts'
import { decodeText } from './decode-text.ts'
import { readSpine, refuseLockedChapters } from './epub-package.ts'
import { readHtml } from './read-html.ts'
import { openZip } from './zip-archive.ts'

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Chapters are XHTML, where `<title/>` is empty; in HTML it would swallow the rest. */
const asHtml = (xhtml: string): string =>
  xhtml.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (whole, name: string, attributes: string) =>
    voidElements.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
  )

export async function* readEpub(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = openZip(bytes)
  const chapters = await readSpine(archive)
  await refuseLockedChapters(archive, chapters)
  for (const chapter of chapters) yield* readHtml(asHtml(decodeText(archive.read(chapter))))
}
