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
  let path: string | undefined
  if (archive.has(container))
    await parseXml(archive.chunks(container), {
      open(name, attributes) {
        if (name === 'rootfile') path ??= attributes['full-path']
      },
    })
  const found = path === undefined ? undefined : resolvePath('', path)
  if (found !== undefined && archive.has(found)) return found
  throw new DocumentFailure('broken_file', 'The file is not an EPUB book: its package document is missing.')
}

interface Item {
  path: string
  type: string
  isContents: boolean
}

/** The chapters in reading order, without a table of contents, which only repeats their headings. */
const readSpine = async (archive: ZipArchive): Promise<string[]> => {
  const part = await findPackage(archive)
  const items = new Map<string, Item>()
  const order: string[] = []
  await parseXml(archive.chunks(part), {
    open(name, attributes) {
      if (name === 'item' && attributes['id'] !== undefined && attributes['href'] !== undefined)
        items.set(attributes['id'], {
          path: resolvePath(part, attributes['href']),
          type: attributes['media-type'] ?? '',
          isContents: /\bnav\b/.test(attributes['properties'] ?? ''),
        })
      else if (name === 'itemref' && attributes['idref'] !== undefined) order.push(attributes['idref'])
    },
  })
  const chapters = order.flatMap(id => items.get(id) ?? [])
  const readable = chapters.filter(({ path, type }) => /html|xml|^$/i.test(type) && archive.has(path))
  const kept = readable.filter(({ isContents }) => !isContents)
  return [...new Set(kept.map(({ path }) => path))]
}

/** Obfuscated fonts are harmless; encrypted chapters mean that the book has DRM. */
const rejectEncryptedChapters = async (archive: ZipArchive, chapters: string[]): Promise<void> => {
  if (!archive.has(encryption)) return
  const encrypted = new Set<string>()
  await parseXml(archive.chunks(encryption), {
    open(name, attributes) {
      if (name === 'CipherReference') encrypted.add(resolvePath('', attributes['URI'] ?? ''))
    },
  })
  if (chapters.some(chapter => encrypted.has(chapter)))
    throw new DocumentFailure('encrypted', 'The book is protected by DRM. Upload an unprotected copy.')
}

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Chapters are XHTML, where `<title/>` is empty; parsed as HTML it would swallow the rest. */
const asHtml = (xhtml: string): string =>
  xhtml.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (whole, name: string, attributes: string) =>
    voidElements.has(name.toLowerCase()) ? whole : `<${name}${attributes}></${name}>`,
  )

export async function* readEpub(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const chapters = await readSpine(archive)
  await rejectEncryptedChapters(archive, chapters)
  for (const chapter of chapters) yield* readHtml(asHtml(decodeText(await archive.read(chapter))))
}
