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

/** The chapters in reading order, without a table of contents, which only repeats their headings. */
const readSpine = async (archive: ZipArchive): Promise<string[]> => {
  const part = await findPackage(archive)
  const paths = new Map<string, string>()
  const order: string[] = []
  await parseXml(archive.chunks(part), {
    open(name, { id, href, idref, properties = '', 'media-type': type = '' }) {
      const isChapter = name === 'item' && /html|xml|^$/i.test(type) && !/\bnav\b/.test(properties)
      if (isChapter && id !== undefined && href !== undefined) paths.set(id, resolvePath(part, href))
      else if (name === 'itemref' && idref !== undefined) order.push(idref)
    },
  })
  const chapters = new Set(order.flatMap(id => paths.get(id) ?? []))
  return [...chapters].filter(path => archive.has(path))
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
  const chapters = await readSpine(archive)
  await rejectEncryptedChapters(archive, chapters)
  for (const chapter of chapters) yield* readHtml(decodeText(await archive.read(chapter)), true)
}
