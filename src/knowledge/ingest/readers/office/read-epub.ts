import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { readHtml } from '../html/read-html.ts'
import { decodeText } from '../text/decode-text.ts'
import { resolvePath } from './office-package.ts'
import { parseXml } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

const container = 'META-INF/container.xml'
const encryption = 'META-INF/encryption.xml'

const findPackage = async (archive: ZipArchive): Promise<string> => {
  let path = ''
  if (archive.has(container))
    await parseXml(archive.chunks(container), {
      open(name, attributes) {
        if (name === 'rootfile') path ||= resolvePath('', attributes['full-path'] ?? '')
      },
    })
  if (archive.has(path)) return path
  throw new DocumentFailure('broken_file', 'The file is not an EPUB book: its package document is missing.')
}

const lineOf = (texts: string[]): string =>
  texts
    .map(text => text.trim().replace(/\s+/g, ' '))
    .filter(text => text !== '')
    .join(', ')

interface Book {
  /** The titles, then the authors. */
  about: string[]
  chapters: string[]
}

/** The chapters in reading order, without a table of contents, which only repeats their headings. */
const readPackage = async (archive: ZipArchive): Promise<Book> => {
  const part = await findPackage(archive)
  const paths = new Map<string, string>()
  const order: string[] = []
  const titles: string[] = []
  const authors: string[] = []
  await parseXml(archive.chunks(part), {
    open(name, { id, href, idref, properties = '', 'media-type': type = '' }) {
      const isChapter = name === 'item' && /html|xml|^$/i.test(type) && !/\bnav\b/.test(properties)
      if (isChapter && id !== undefined && href !== undefined) paths.set(id, resolvePath(part, href))
      else if (name === 'itemref' && idref !== undefined) order.push(idref)
      else if (name === 'title') titles.push('')
      else if (name === 'creator') authors.push('')
    },
    text(text, parent) {
      const list = parent === 'title' ? titles : parent === 'creator' ? authors : undefined
      list?.push(list.pop()! + text)
    },
  })
  const chapters = new Set(order.flatMap(id => paths.get(id) ?? []))
  return {
    about: [titles, authors].map(lineOf).filter(line => line !== ''),
    chapters: [...chapters].filter(path => archive.has(path)),
  }
}

/** Obfuscated fonts are harmless; encrypted chapters mean that the book has DRM. */
const rejectEncryptedChapters = async (archive: ZipArchive, chapters: string[]): Promise<void> => {
  if (!archive.has(encryption)) return
  const paths = new Set(chapters)
  await parseXml(archive.chunks(encryption), {
    open(name, { URI: path = '' }) {
      if (name === 'CipherReference' && paths.has(resolvePath('', path)))
        throw new DocumentFailure('encrypted', 'The book is protected by DRM. Upload an unprotected copy.')
    },
  })
}

export async function* readEpub(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const { about, chapters } = await readPackage(archive)
  await rejectEncryptedChapters(archive, chapters)
  let isFirst = true
  for (const chapter of chapters)
    for (const block of readHtml(decodeText(await archive.read(chapter)), true, true)) {
      // A book without text has no title either.
      if (isFirst && about.length > 0) yield { kind: 'paragraph', text: about.join('\n') }
      isFirst = false
      yield block
    }
}
