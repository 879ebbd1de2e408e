import { detectMimeType } from '../../../files/detect-mime-type.ts'
import { extensionOf } from '../../../files/file-name.ts'
import type { Block, ReadBlocks, ReportProgress, ReportUnread, UnreadPages } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import { unreadPagesNote } from '../document-warning.ts'
import type { MediaReader } from '../recognition/medium.ts'
import type { SplitRecording } from './audio/read-recording.ts'
import { withPageLimit } from './images/recognise-pages.ts'
import type { ReadAttachment } from './mail/mail.ts'
import type { ConvertLegacy, LegacyFormat } from './office/convert-legacy.ts'
import { lengthOf } from './table-blocks.ts'
import { declaredEncoding, decodeText } from './text/decode-text.ts'

/** Formats, including those that a model or a converter turns into text, by the extensions of their files. */
const binaryLists = {
  image: 'png jpg jpeg webp gif bmp tif tiff',
  recording: 'mp3 wav m4a ogg oga opus webm flac',
  pdf: 'pdf',
  epub: 'epub',
  docx: 'docx docm dotx dotm',
  xlsx: 'xlsx xlsm xltx xltm',
  pptx: 'pptx pptm ppsx potx',
  odt: 'odt ott',
  ods: 'ods ots',
  odp: 'odp otp',
  rtf: 'rtf',
  eml: 'eml mht mhtml',
  msg: 'msg',
  doc: 'doc dot',
  xls: 'xls xlt',
  ppt: 'ppt pps pot',
}

const textLists = {
  text: 'txt text log rst adoc asciidoc org tex vtt srt ics vcf textile wiki',
  markdown: 'md markdown mdx mkd qmd rmd',
  html: 'html htm xhtml xht shtml',
  csv: 'csv',
  tsv: 'tsv tab',
  json: 'json json5 jsonc geojson webmanifest',
  jsonl: 'jsonl ndjson jsonlines',
  notebook: 'ipynb',
  code:
    'js mjs cjs jsx ts mts cts tsx py pyi pyw java kt kts scala sc groovy gradle c h cc cpp cxx hh ' +
    'hpp hxx ino cs csx fs fsx go rs swift m mm rb rake gemspec php phtml pl pm lua r jl dart ex exs ' +
    'erl hrl hs clj cljs edn lisp el scm ml mli zig nim pas f f90 f95 mat vb vbs bas sql ddl graphql ' +
    'gql proto thrift sh bash zsh fish ksh ps1 psm1 bat cmd css scss sass less vue svelte sol tf ' +
    'tfvars hcl nix yaml yml toml ini cfg conf properties env editorconfig xml xsd xsl xslt rss atom ' +
    'plist wsdl pom diff patch mk mak make cmake v sv vhd vhdl asm s',
}

type BinaryFormat = keyof typeof binaryLists
type TextFormat = keyof typeof textLists
type DocumentFormat = TextFormat | BinaryFormat

const supportedFormats =
  'plain text, Markdown, HTML, CSV, TSV, JSON, JSON Lines, Jupyter notebooks, source code, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, mail (EML, MSG), images (PNG, JPEG, WebP, GIF, BMP, TIFF), recordings (MP3, WAV, M4A, OGG, WebM, FLAC) and, with LibreOffice, DOC, XLS and PPT'

const binaryTypes: [type: RegExp, format: BinaryFormat][] = [
  [/^image\/(?:png|jpeg|webp|gif|bmp|x-ms-bmp|tiff|apng)$/, 'image'],
  [
    /^audio\/(?:mpeg|wav|vnd\.wave|x-wav|x-m4a|mp4|aac|ogg|opus|webm|flac|x-flac)$|^video\/webm$/,
    'recording',
  ],
  [/^application\/pdf$/, 'pdf'],
  [/^application\/epub\+zip$/, 'epub'],
  [/^application\/vnd\.openxmlformats-officedocument\.wordprocessingml\./, 'docx'],
  [/^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\./, 'xlsx'],
  [/^application\/vnd\.openxmlformats-officedocument\.presentationml\./, 'pptx'],
  [/^application\/vnd\.ms-word\.(?:document|template)\.macroenabled/, 'docx'],
  [/^application\/vnd\.ms-excel\.(?:sheet|template)\.macroenabled/, 'xlsx'],
  [/^application\/vnd\.ms-powerpoint\.(?:presentation|slideshow|template)\.macroenabled/, 'pptx'],
  [/^application\/vnd\.oasis\.opendocument\.text/, 'odt'],
  [/^application\/vnd\.oasis\.opendocument\.spreadsheet/, 'ods'],
  [/^application\/vnd\.oasis\.opendocument\.presentation/, 'odp'],
  [/^(?:application|text)\/rtf$/, 'rtf'],
  [/^message\/rfc822$/, 'eml'],
  [/^application\/vnd\.ms-outlook$/, 'msg'],
  [/^application\/msword$/, 'doc'],
  [/^application\/vnd\.ms-excel$/, 'xls'],
  [/^application\/vnd\.ms-powerpoint$/, 'ppt'],
]

const byExtension = <Format extends string>(extensions: Record<Format, string>): Map<string, Format> =>
  new Map(
    (Object.entries(extensions) as [Format, string][]).flatMap(([format, list]) =>
      list.split(' ').map(extension => [extension, format] as const),
    ),
  )

const binaryExtensions = byExtension(binaryLists)
const textExtensions = byExtension(textLists)

/** Source files without a telling extension. */
const codeNames = new Set(
  (
    'makefile dockerfile containerfile jenkinsfile gemfile rakefile vagrantfile procfile ' +
    '.gitignore .dockerignore .bashrc .zshrc'
  ).split(' '),
)

/** Textual types that are not supported, because a drawing contains no prose. */
const unreadText = new Set(['image/svg+xml'])
const textLike =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|toml|sql|graphql|javascript|jsonl|ndjson|x-subrip)[\w.+-]*)$)/
const unknownType = 'application/octet-stream'
const legacyContainer = 'application/x-cfb'

const textByName = (name: string): TextFormat | undefined => {
  const base = /[^/\\]*$/.exec(name)![0].toLowerCase()
  return textExtensions.get(extensionOf(name)) ?? (codeNames.has(base) ? 'code' : undefined)
}

/**
 * The format of a file, or `undefined` if it is not supported. `mimeType` was detected from the content and wins over
 * the name: a "report.txt" that is a PDF is read as PDF. A binary extension still counts when the content does not
 * match it, because "the file is damaged" is more helpful than its bytes as text.
 */
export const formatOf = (name: string, mimeType: string): DocumentFormat | undefined => {
  const type = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const binary = binaryTypes.find(([pattern]) => pattern.test(type))?.[1]
  if (binary) return binary
  const promised = binaryExtensions.get(extensionOf(name))
  if (type === 'text/html' || type === 'application/xhtml+xml') return textByName(name) ?? 'html'
  if (unreadText.has(type)) return undefined
  // Programs store sound in the container of videos.
  if (type === 'video/mp4' && promised === 'recording') return promised
  if (textLike.test(type)) return promised ?? textByName(name) ?? 'text'
  // Password-protected Office files use the container of the old formats; the zip reader reports them.
  if (type === 'application/zip' || type === legacyContainer || type === unknownType || type === '')
    return promised ?? (type === unknownType || type === '' ? textByName(name) : undefined)
  return undefined
}

/** Terminal escape sequences, as found in logs. */
const terminalCodes = /\u001b\[[\d;?]*[A-Za-z]/g
/** Control and invisible characters, which would keep words from being found. */
const unseen = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufff9-\uffff]/g
const blanks = /[ \t\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g

const characters = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(terminalCodes, '')
    .toWellFormed()
    .replace(unseen, '')
    .normalize('NFC')

/** Most text is normalized already, which this single test shows. */
const unsettled = /[^!-~ \u3001\u3002\u4e00-\u9fff\uff01-\uff5e]| {2}|^ | $/

const running = (text: string): string => {
  if (!unsettled.test(text)) return text
  return characters(text)
    .replace(blanks, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const normalize = {
  paragraph: running,
  heading: (text: string): string => running(text).replace(/\n+/g, ' '),
  /** Code keeps its indentation. */
  code: (text: string): string =>
    characters(text)
      .split('\n')
      .map(line => line.trimEnd())
      .join('\n')
      .replace(/^\n+/, '')
      .trimEnd(),
}

const cells = (row: string[]): string[] => row.map(running)
const isFilled = (row: string[]): boolean => row.some(cell => cell !== '')

/** A block as it is stored and searched, or `undefined` if nothing is left of it. */
const normalizeBlock = (block: Block): Block | undefined => {
  if (block.kind === 'table') {
    const header = block.header && cells(block.header)
    const rows = block.rows.map(cells).filter(isFilled)
    const named = header && isFilled(header) ? header : undefined
    return rows.length === 0 && !named ? undefined : { ...block, header: named, rows }
  }
  const text = normalize[block.kind](block.text)
  return text === '' ? undefined : { ...block, text }
}

const charactersOf = (block: Block): number => {
  if (block.kind !== 'table') return block.text.length
  return block.rows.reduce((sum, row) => sum + lengthOf(row), lengthOf(block.header ?? []))
}

interface DocumentFile {
  name: string
  /** Detected from the content, not declared by the client. */
  mimeType: string
  bytes: Uint8Array
}

const maxCharactersOfFile = 100_000_000

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

const isTextFormat = (format: DocumentFormat): format is TextFormat => Object.hasOwn(readText, format)

/** Whether a file is read without a converter or a model. Text may have the name of another format, such as "note.doc". */
export const isPlainText = (name: string, mimeType: string): boolean => {
  const format = formatOf(name, mimeType)
  return format !== undefined && isTextFormat(format)
}

/** Some programs save HTML under other extensions, such as "export.xls". */
const isPage = (bytes: Uint8Array): boolean => {
  const head = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html|head|meta|table)[\s>]/i.test(head)
}

const formatOfFile = ({ name, mimeType, bytes }: DocumentFile): DocumentFormat => {
  const format = formatOf(name, mimeType)
  const unexplained = format === undefined || format === 'text' || !isTextFormat(format)
  if (unexplained && mimeType.startsWith('text/plain') && !/\.(?:txt|text|log)$/i.test(name) && isPage(bytes))
    return 'html'
  if (format !== undefined) return format
  throw new DocumentFailure(
    'unsupported_format',
    `Files of type ${mimeType} are not supported. Supported formats: ${supportedFormats}.`,
  )
}

const noText = ({ bytes }: Pick<DocumentFile, 'bytes'>): DocumentFailure =>
  new DocumentFailure(
    'no_text',
    bytes.length === 0
      ? 'The file is empty (0 bytes). Upload a file with content.'
      : 'No text was found in the file.',
  )

const maxAttachmentDepth = 4
const maxAttachmentsOfFile = 500
const headBytes = 64 * 1024

const blocksOf = (file: DocumentFile, helpers: ReadHelpers): Promise<ReadBlocks> => {
  const media = helpers.media && withPageLimit(helpers.media)
  let attachments = 0
  const read = (each: DocumentFile, depth: number, onUnread?: ReportUnread): Promise<ReadBlocks> => {
    const format = formatOfFile(each)
    const readAttachment: ReadAttachment = async ({ name, bytes }) => {
      if (depth >= maxAttachmentDepth || ++attachments > maxAttachmentsOfFile)
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
  { maxCharacters = maxCharactersOfFile, ...helpers }: ReadHelpers & { maxCharacters?: number } = {},
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
