import { makeZip } from './make-zip.ts'

export interface EpubContent {
  /** Chapter bodies by file name, in file order; `spine` may define another order. */
  chapters: Record<string, string>
  spine?: string[]
  /** Elements of the metadata, such as `<dc:title>`. */
  metadata?: string
  /** More parts, for example `META-INF/encryption.xml`. */
  parts?: Record<string, string>
}

/** An EPUB book. */
export const makeEpub = ({
  chapters,
  spine = Object.keys(chapters),
  metadata = '',
  parts = {},
}: EpubContent): Uint8Array => {
  const names = Object.keys(chapters)
  const items = names.map(
    name => `<item id="${name}" href="text/${encodeURIComponent(name)}" media-type="application/xhtml+xml"/>`,
  )
  return makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/content.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata>${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${spine.map(name => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      names.map(name => [
        `OEBPS/text/${name}`,
        `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${chapters[name]}</body></html>`,
      ]),
    ),
    ...parts,
  })
}
