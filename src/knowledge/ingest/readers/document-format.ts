/** File extensions by language. */
const extensions: Record<string, string> = {
  javascript: 'js mjs cjs jsx',
  typescript: 'ts mts cts tsx',
  python: 'py pyi pyw',
  java: 'java',
  kotlin: 'kt kts',
  scala: 'scala sc',
  groovy: 'groovy gradle',
  c: 'c h',
  cpp: 'cc cpp cxx hh hpp hxx ino',
  csharp: 'cs csx',
  fsharp: 'fs fsx',
  go: 'go',
  rust: 'rs',
  swift: 'swift',
  'objective-c': 'm mm',
  ruby: 'rb rake gemspec',
  php: 'php phtml',
  perl: 'pl pm',
  lua: 'lua',
  r: 'r',
  julia: 'jl',
  dart: 'dart',
  elixir: 'ex exs',
  erlang: 'erl hrl',
  haskell: 'hs',
  clojure: 'clj cljs edn',
  lisp: 'lisp el scm',
  ocaml: 'ml mli',
  zig: 'zig',
  nim: 'nim',
  pascal: 'pas',
  fortran: 'f f90 f95',
  matlab: 'mat',
  vb: 'vb vbs bas',
  sql: 'sql ddl',
  graphql: 'graphql gql',
  proto: 'proto',
  thrift: 'thrift',
  shell: 'sh bash zsh fish ksh',
  powershell: 'ps1 psm1',
  batch: 'bat cmd',
  css: 'css scss sass less',
  vue: 'vue',
  svelte: 'svelte',
  solidity: 'sol',
  terraform: 'tf tfvars hcl',
  nix: 'nix',
  yaml: 'yaml yml',
  toml: 'toml',
  ini: 'ini cfg conf properties env editorconfig',
  xml: 'xml xsd xsl xslt rss atom plist wsdl pom',
  diff: 'diff patch',
  makefile: 'mk mak make',
  cmake: 'cmake',
  verilog: 'v sv vhd vhdl',
  assembly: 'asm s',
}

const names: Record<string, string> = {
  makefile: 'makefile',
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  jenkinsfile: 'groovy',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  procfile: 'yaml',
  'cmakelists.txt': 'cmake',
  '.gitignore': 'ini',
  '.dockerignore': 'ini',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
}

const byExtension = new Map(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(' ').map(each => [each, language] as const),
  ),
)

const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** The language of a source file by its name, or `undefined` for other files. */
export const codeLanguage = (name: string): string | undefined => {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase()
  return (Object.hasOwn(names, base) ? names[base] : undefined) ?? byExtension.get(extensionOf(base))
}

export type TextFormat = 'text' | 'markdown' | 'html' | 'csv' | 'tsv' | 'json' | 'jsonl' | 'notebook' | 'code'
export type BinaryFormat = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub'
export type DocumentFormat = TextFormat | BinaryFormat

export const supportedFormats =
  'plain text, Markdown, HTML, CSV, TSV, JSON, JSON Lines, Jupyter notebooks, source code, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP and EPUB'

const openXml = 'application/vnd.openxmlformats-officedocument.'
const openDocument = 'application/vnd.oasis.opendocument.'

const binaryTypes: [type: RegExp, format: BinaryFormat][] = [
  [/^application\/pdf$/, 'pdf'],
  [/^application\/vnd\.ms-word\.(?:document|template)\.macroenabled/i, 'docx'],
  [/^application\/vnd\.ms-excel\.(?:sheet|template)\.macroenabled/i, 'xlsx'],
  [/^application\/vnd\.ms-powerpoint\.(?:presentation|slideshow|template)\.macroenabled/i, 'pptx'],
  [/^application\/epub\+zip$/, 'epub'],
]

const typePrefixes: [prefix: string, format: BinaryFormat][] = [
  [`${openXml}wordprocessingml.`, 'docx'],
  [`${openXml}spreadsheetml.`, 'xlsx'],
  [`${openXml}presentationml.`, 'pptx'],
  [`${openDocument}text`, 'odt'],
  [`${openDocument}spreadsheet`, 'ods'],
  [`${openDocument}presentation`, 'odp'],
]

const binaryExtensions: Record<string, BinaryFormat> = {
  ...{ pdf: 'pdf', epub: 'epub', odt: 'odt', ott: 'odt', ods: 'ods', ots: 'ods', odp: 'odp', otp: 'odp' },
  ...{ docx: 'docx', docm: 'docx', dotx: 'docx', dotm: 'docx' },
  ...{ xlsx: 'xlsx', xlsm: 'xlsx', xltx: 'xlsx', xltm: 'xlsx' },
  ...{ pptx: 'pptx', pptm: 'pptx', ppsx: 'pptx', potx: 'pptx' },
}

const textExtensions: Record<string, TextFormat> = {
  ...{ txt: 'text', text: 'text', log: 'text', rst: 'text', adoc: 'text', asciidoc: 'text', org: 'text' },
  ...{ tex: 'text', vtt: 'text', srt: 'text', ics: 'text', vcf: 'text', textile: 'text', wiki: 'text' },
  ...{ md: 'markdown', markdown: 'markdown', mdx: 'markdown' },
  ...{ mkd: 'markdown', qmd: 'markdown', rmd: 'markdown' },
  ...{ html: 'html', htm: 'html', xhtml: 'html', xht: 'html', shtml: 'html' },
  ...{ csv: 'csv', tsv: 'tsv', tab: 'tsv' },
  ...{ json: 'json', json5: 'json', jsonc: 'json', geojson: 'json', webmanifest: 'json' },
  ...{ jsonl: 'jsonl', ndjson: 'jsonl', jsonlines: 'jsonl', ipynb: 'notebook' },
}

/** Textual types that are not supported: mail has an inner encoding, and a drawing holds no prose. */
const unreadText = new Set(['message/rfc822', 'image/svg+xml', 'application/rtf', 'text/rtf'])
const textLike =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|toml|sql|graphql|javascript|jsonl|ndjson|x-subrip)[\w.+-]*)$)/
const unknownType = 'application/octet-stream'
const legacyContainer = 'application/x-cfb'

const lookUp = <Value>(table: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

const binaryByType = (mimeType: string): BinaryFormat | undefined =>
  binaryTypes.find(([type]) => type.test(mimeType))?.[1] ??
  typePrefixes.find(([prefix]) => mimeType.startsWith(prefix))?.[1]

const textByName = (name: string): TextFormat | undefined =>
  lookUp(textExtensions, extensionOf(name)) ?? (codeLanguage(name) === undefined ? undefined : 'code')

/**
 * The format of a file, or `undefined` if it is not supported. `mimeType` was detected from the content and wins over
 * the name: a "report.txt" that is a PDF is read as PDF. A binary extension still counts when the content does not
 * match it, because "the file is damaged" is more helpful than its bytes as text.
 */
export const formatOf = (name: string, mimeType: string): DocumentFormat | undefined => {
  const type = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const binary = binaryByType(type)
  if (binary) return binary
  const promised = lookUp(binaryExtensions, extensionOf(name))
  if (type === 'text/html' || type === 'application/xhtml+xml') return textByName(name) ?? 'html'
  if (unreadText.has(type)) return undefined
  if (textLike.test(type)) return promised ?? textByName(name) ?? 'text'
  // Password-protected Office files use the container of the old formats; the zip reader reports them.
  if (type === 'application/zip' || type === legacyContainer || type === unknownType || type === '')
    return promised ?? (type === unknownType || type === '' ? textByName(name) : undefined)
  return undefined
}
