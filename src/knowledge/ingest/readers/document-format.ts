import { extensionOf } from '../../../files/file-name.ts'
import { DocumentFailure } from '../document-failure.ts'

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

export type BinaryFormat = keyof typeof binaryLists
export type TextFormat = keyof typeof textLists
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

export interface DocumentFile {
  name: string
  /** Detected from the content, not declared by the client. */
  mimeType: string
  bytes: Uint8Array
}

export const isTextFormat = (format: DocumentFormat): format is TextFormat => Object.hasOwn(textLists, format)

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

/** The format of a file by its name, type and content. Fails if it is not supported. */
export const formatOfFile = ({ name, mimeType, bytes }: DocumentFile): DocumentFormat => {
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
