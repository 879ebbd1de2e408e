import { extensionOf } from '../../../files/file-name.ts'

export type TextFormat = 'text' | 'markdown' | 'html' | 'csv' | 'tsv' | 'json' | 'jsonl' | 'notebook' | 'code'
export type BinaryFormat = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub'
export type DocumentFormat = TextFormat | BinaryFormat

export const supportedFormats =
  'plain text, Markdown, HTML, CSV, TSV, JSON, JSON Lines, Jupyter notebooks, source code, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP and EPUB'

const binaryTypes: [type: RegExp, format: BinaryFormat][] = [
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
]

const byExtension = <Format extends string>(extensions: Record<Format, string>): Map<string, Format> =>
  new Map(
    (Object.entries(extensions) as [Format, string][]).flatMap(([format, list]) =>
      list.split(' ').map(extension => [extension, format] as const),
    ),
  )

const binaryExtensions = byExtension<BinaryFormat>({
  pdf: 'pdf',
  epub: 'epub',
  docx: 'docx docm dotx dotm',
  xlsx: 'xlsx xlsm xltx xltm',
  pptx: 'pptx pptm ppsx potx',
  odt: 'odt ott',
  ods: 'ods ots',
  odp: 'odp otp',
})

const textExtensions = byExtension<TextFormat>({
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
})

/** Source files without a telling extension. */
const codeNames = new Set(
  (
    'makefile dockerfile containerfile jenkinsfile gemfile rakefile vagrantfile procfile ' +
    '.gitignore .dockerignore .bashrc .zshrc'
  ).split(' '),
)

/** Textual types that are not supported: mail has an inner encoding, and a drawing holds no prose. */
const unreadText = new Set(['message/rfc822', 'image/svg+xml', 'application/rtf', 'text/rtf'])
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
  if (textLike.test(type)) return promised ?? textByName(name) ?? 'text'
  // Password-protected Office files use the container of the old formats; the zip reader reports them.
  if (type === 'application/zip' || type === legacyContainer || type === unknownType || type === '')
    return promised ?? (type === unknownType || type === '' ? textByName(name) : undefined)
  return undefined
}
