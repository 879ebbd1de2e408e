import { limits } from '../../../contract/limits.ts'
import { detectMimeType } from '../../../files/detect-mime-type.ts'
import type { Block, ReadBlocks, ReportProgress, ReportUnread, UnreadPages } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import { unreadPagesNote } from '../document-warning.ts'
import type { MediaReader } from '../recognition/medium.ts'
import type { SplitRecording } from './audio/read-recording.ts'
import {
  type BinaryFormat,
  type DocumentFile,
  formatOfFile,
  isTextFormat,
  type TextFormat,
} from './document-format.ts'
import { withPageLimit } from './images/recognise-pages.ts'
import type { ReadAttachment } from './mail/mail.ts'
import { charactersOf, normalizeBlock } from './normalize-block.ts'
import type { ConvertLegacy, LegacyFormat } from './office/convert-legacy.ts'
import { declaredEncoding, decodeText } from './text/decode-text.ts'

/** Readers are loaded on demand: a worker that only sees text never loads the PDF library. */
const readText: Record<TextFormat, (text: string) => Promise<Iterable<Block>>> = {
  text: async text => (await import('./text/read-text.ts')).readText(text),
  markdown: async text => (await import('./markdown/read-markdown.ts')).readMarkdown(text),
  html: async text => (await import('./html/read-html.ts')).readHtml(text),
  csv: async text => (await import('./data/read-csv.ts')).readCsv(text, ','),
  tsv: async text => (await import('./data/read-csv.ts')).readCsv(text, '\t'),
  json: async text => (await import('./data/read-json.ts')).readJson(text, 'json'),
  jsonl: async text => (await import('./data/read-json.ts')).readJson(text, 'jsonl'),
  notebook: async text => (await import('./data/read-json.ts')).readNotebook(text),
  code: async text => (await import('./text/read-text.ts')).readCode(text),
}

/** What a reader needs from outside. Attachments count towards the limits of their file. */
export interface ReadHelpers {
  convert?: ConvertLegacy | undefined
  split?: SplitRecording | undefined
  /** Without it, scans, images and recordings have no text. */
  media?: MediaReader | undefined
  onProgress?: ReportProgress | undefined
  onUnread?: ReportUnread | undefined
}

interface ReadContext extends ReadHelpers {
  readAttachment: ReadAttachment
}

type ReadBytes = (bytes: Uint8Array, context: ReadContext, file: DocumentFile) => Promise<ReadBlocks>

const currentFormats = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' } as const

/** Files of old Office versions are converted to the current format, and read as such. */
const readLegacy =
  (from: LegacyFormat): ReadBytes =>
  async (bytes, context, file) => {
    const to = currentFormats[from]
    const converted = await context.convert?.(bytes, from)
    if (converted) return readBinary[to](converted, context, file)
    throw new DocumentFailure(
      'converter_not_installed',
      `To read .${from} files, install LibreOffice on the server, or set SOFFICE_PATH to its command. Or save the file as .${to} and upload that.`,
    )
  }

const readBinary: Record<BinaryFormat, ReadBytes> = {
  image: async (bytes, { media }) => (await import('./images/read-image.ts')).readImage(bytes, media),
  recording: async (_bytes, { media, split }, file) =>
    (await import('./audio/read-recording.ts')).readRecording(file, media, split),
  pdf: async (bytes, { media, onProgress, onUnread }) =>
    (await import('./pdf/read-pdf.ts')).readPdf(bytes, media, onProgress, onUnread),
  docx: async (bytes, { readAttachment }) =>
    (await import('./office/read-docx.ts')).readDocx(bytes, readAttachment),
  xlsx: async bytes => (await import('./office/read-xlsx.ts')).readXlsx(bytes),
  pptx: async bytes => (await import('./office/read-pptx.ts')).readPptx(bytes),
  odt: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'odt'),
  ods: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'ods'),
  odp: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'odp'),
  epub: async bytes => (await import('./office/read-epub.ts')).readEpub(bytes),
  rtf: async bytes => (await import('./rtf/read-rtf.ts')).readRtf(bytes),
  eml: async (bytes, { readAttachment }) =>
    (await import('./mail/read-eml.ts')).readEml(bytes, readAttachment),
  msg: async (bytes, { readAttachment }) =>
    (await import('./mail/read-msg.ts')).readMsg(bytes, readAttachment),
  doc: readLegacy('doc'),
  xls: readLegacy('xls'),
  ppt: readLegacy('ppt'),
}

const noText = ({ bytes }: Pick<DocumentFile, 'bytes'>): DocumentFailure =>
  new DocumentFailure(
    'no_text',
    bytes.length === 0
      ? 'The file is empty (0 bytes). Upload a file with content.'
      : 'No text was found in the file.',
  )

const headBytes = 64 * 1024

const blocksOf = (file: DocumentFile, helpers: ReadHelpers): Promise<ReadBlocks> => {
  const media = helpers.media && withPageLimit(helpers.media)
  let attachments = 0
  const read = (each: DocumentFile, depth: number, onUnread?: ReportUnread): Promise<ReadBlocks> => {
    const format = formatOfFile(each)
    const readAttachment: ReadAttachment = async ({ name, bytes }) => {
      if (depth >= limits.attachmentDepth || ++attachments > limits.attachments)
        throw new DocumentFailure(
          'unsupported_format',
          'There are too many attachments, or attachments of attachments.',
        )
      if (bytes.byteLength === 0) throw noText({ bytes })
      const mimeType = await detectMimeType(bytes.subarray(0, headBytes), name)
      return withUnread(name, onUnread => read({ name, bytes, mimeType }, depth + 1, onUnread))
    }
    const context = { ...helpers, media, onUnread, readAttachment }
    if (!isTextFormat(format)) return readBinary[format](each.bytes, context, each)
    const declared = format === 'html' ? declaredEncoding(each.bytes) : undefined
    return readText[format](decodeText(each.bytes, declared))
  }
  return read(file, 0, helpers.onUnread)
}

/** Page numbers of an attachment mean nothing outside of it, so they are named below its text. */
async function* withUnread(
  name: string,
  read: (onUnread: ReportUnread) => Promise<ReadBlocks>,
): AsyncGenerator<Block> {
  const all: UnreadPages[] = []
  yield* await read(unread => void all.push(unread))
  for (const unread of all)
    if (unread.pages.length > 0) yield { kind: 'paragraph', text: unreadPagesNote(name, unread) }
}

/** The normalized blocks of a file of any supported format. Throws only `DocumentFailure`. */
export async function* readDocument(
  file: DocumentFile,
  { maxCharacters = limits.documentLength, ...helpers }: ReadHelpers & { maxCharacters?: number } = {},
): AsyncGenerator<Block> {
  if (file.bytes.byteLength === 0) throw noText(file)
  let characters = 0
  for await (const raw of await blocksOf(file, helpers)) {
    const block = normalizeBlock(raw)
    if (!block) continue
    characters += charactersOf(block)
    if (characters > maxCharacters)
      throw new DocumentFailure(
        'too_large',
        `The file has more than ${maxCharacters} characters of text. Split it into smaller files.`,
      )
    yield block
  }
  if (characters === 0) throw noText(file)
}
