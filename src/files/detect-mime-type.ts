import { fileTypeFromBuffer, supportedExtensions } from 'file-type'
import { extensionOf } from './file-name.ts'

/** Extensions of types without magic bytes: the extension decides if the content is text. */
const textExtensions: Record<string, string> = {
  'text/plain': 'txt text log ini conf cfg env properties',
  'text/markdown': 'md markdown mdx',
  'text/asciidoc': 'adoc',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/geo+json': 'geojson',
  'application/x-ipynb+json': 'ipynb',
  'application/jsonl': 'jsonl',
  'application/x-ndjson': 'ndjson',
  'application/yaml': 'yaml yml',
  'application/toml': 'toml',
  'text/html': 'html htm',
  'application/xhtml+xml': 'xhtml xht',
  'message/rfc822': 'mht mhtml eml',
  'application/xml': 'xml xsd',
  'application/xslt+xml': 'xsl xslt',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'image/svg+xml': 'svg',
  'text/calendar': 'ics',
  'text/vcard': 'vcf',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
  'text/css': 'css',
  'text/javascript': 'js mjs cjs',
  'text/jsx': 'jsx',
  'text/tsx': 'tsx',
  'application/sql': 'sql',
  'application/graphql': 'graphql',
}

/** Extensions of source code, whose types begin with `text/x-`. */
const sourceExtensions: Record<string, string> = {
  ...{ typescript: 'ts mts cts', python: 'py', ruby: 'rb', php: 'php', perl: 'pl', lua: 'lua', r: 'r' },
  ...{ java: 'java', kotlin: 'kt', scala: 'scala', swift: 'swift', go: 'go', rust: 'rs', csharp: 'cs' },
  ...{ c: 'c h', 'c++': 'cc cpp hpp', protobuf: 'proto', shellscript: 'sh bash', powershell: 'ps1' },
  ...{ 'msdos-batch': 'bat', vue: 'vue', scss: 'scss', less: 'less', tex: 'tex', rst: 'rst' },
  ...{ diff: 'diff patch' },
}

const byExtension = (extensions: Record<string, string>, prefix: string) =>
  Object.entries(extensions).flatMap(([type, list]) =>
    list.split(' ').map(extension => [extension, prefix + type] as const),
  )

const textTypes = new Map([...byExtension(textExtensions, ''), ...byExtension(sourceExtensions, 'text/x-')])

const openXml = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

/** Containers whose magic bytes do not identify the format; the entry that does may be after the head. */
const typesInContainer: Record<string, Record<string, string>> = {
  'application/zip': {
    docx: `${openXml}.wordprocessingml.document`,
    xlsx: `${openXml}.spreadsheetml.sheet`,
    pptx: `${openXml}.presentationml.presentation`,
    odt: `${openDocument}.text`,
    ods: `${openDocument}.spreadsheet`,
    odp: `${openDocument}.presentation`,
    epub: 'application/epub+zip',
  },
  'application/x-cfb': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
  },
}

/** Extensions of binary formats; text with such an extension is plain text. */
const binaryExtensions = new Set<string>([
  ...supportedExtensions,
  ...Object.values(typesInContainer).flatMap(types => Object.keys(types)),
  ...['bin', 'jpeg', 'tiff', 'heif', 'mpeg', 'dll', 'so', 'iso', 'img'],
])

/** Formats with magic bytes whose files may be plain text. */
const textualFormats = new Set([
  'application/pdf',
  'application/rtf',
  'application/postscript',
  'application/eps',
])

const unknownType = 'application/octet-stream'

/** Formats that `file-type` parses beyond their signature, and so does not recognise when they are damaged. */
const signatures: readonly [signature: Buffer, type: string][] = [
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png'],
  [Buffer.from('ID3'), 'audio/mpeg'],
]

const magicType = async (head: Uint8Array): Promise<string | undefined> => {
  // Malicious or truncated content may break the parser of a container.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found) return found.mime.split(';')[0]
  return signatures.find(([signature]) => signature.equals(head.subarray(0, signature.length)))?.[1]
}

/** The binary data bytes of the WHATWG MIME sniffing standard. */
const binaryCharacter = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/
const binaryCharacters = new RegExp(binaryCharacter, 'g')
const maxControlShare = 0.05

/** `undefined` if the bytes are not valid in this encoding. The last character may be truncated. */
const decodeStrictly = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  const text = decodeStrictly(bytes, encoding)
  return text === undefined || binaryCharacter.test(text) ? undefined : text
}

/** Copied text may contain a few control characters. Binary data contains more, or NUL, and is not UTF-8 by chance. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = decodeStrictly(bytes, 'utf-8')
  if (text === undefined || text.includes('\0')) return undefined
  const characters = text.match(binaryCharacters)?.length ?? 0
  return characters > bytes.length * maxControlShare ? undefined : text
}

/** Western 8-bit text: any byte is a letter there, but most are ASCII, as they are not in binary data. */
const decodeMostlyAscii = (bytes: Uint8Array): string | undefined => {
  const others = bytes.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0)
  return others * 4 < bytes.length ? decode(bytes, 'latin1') : undefined
}

/** The head as text, or `undefined` if it is binary. */
const textOf = (head: Uint8Array): string | undefined => {
  if (head[0] === 0xff && head[1] === 0xfe) return decode(head, 'utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return decode(head, 'utf-16be')
  return decodeUtf8(head) ?? decode(head, 'gb18030') ?? decodeMostlyAscii(head)
}

/** Skips white space, comments and declarations before the root element. */
const fromRootElement = (text: string): string => {
  let rest = text.trimStart()
  for (;;) {
    const end = rest.startsWith('<!--') ? '-->' : /^<(\?|!doctype\s+(?!html))/i.test(rest) ? '>' : undefined
    const at = end === undefined ? -1 : rest.indexOf(end)
    if (end === undefined || at < 0) return rest
    rest = rest.slice(at + end.length).trimStart()
  }
}

const markupType = (text: string): string | undefined => {
  const root = fromRootElement(text)
  if (/^<svg[\s/>]/i.test(root)) return 'image/svg+xml'
  const declared = /^\s*<\?xml\s/.test(text)
  if (/^<(!doctype\s+html|html|head|body|script|style|title|meta|iframe)[\s/>]/i.test(root))
    return declared ? 'application/xhtml+xml' : 'text/html'
  return declared ? 'application/xml' : undefined
}

const textualFormat = (magic: string | undefined, text: string): string | undefined => {
  // Two bytes are not enough: TeX files begin with "%!TEX".
  if (text.startsWith('%!') && !text.startsWith('%!PS')) return undefined
  return magic !== undefined && textualFormats.has(magic) ? magic : undefined
}

/** Magic bytes that are letters mean little ("BMW", "GIFT"), so text is plain text unless its format is a textual one. */
const typeOfText = (text: string, magic: string | undefined, extension: string): string => {
  const named = textualFormat(magic, text) ?? textTypes.get(extension)
  if (named !== undefined) return named
  if (text === '') return unknownType
  if (binaryExtensions.has(extension)) return 'text/plain'
  return markupType(text) ?? (magic?.startsWith('text/') ? magic : 'text/plain')
}

/** PDF readers accept files whose header is within the first 1,024 bytes, and such files exist. */
const isLatePdf = (head: Uint8Array, extension: string): boolean =>
  extension === 'pdf' && Buffer.from(head.subarray(0, 1024)).includes('%PDF-')

const typeOfBinary = (head: Uint8Array, magic: string | undefined, extension: string): string => {
  if (magic === undefined) return isLatePdf(head, extension) ? 'application/pdf' : unknownType
  const types = typesInContainer[magic] ?? {}
  return Object.hasOwn(types, extension) ? types[extension]! : magic
}

/** Detects the type by magic bytes, then by extension; the type that the client sent is ignored. */
export const detectMimeType = async (head: Uint8Array, name: string): Promise<string> => {
  const extension = extensionOf(name)
  const magic = await magicType(head)
  const text = textOf(head)
  return text === undefined ? typeOfBinary(head, magic, extension) : typeOfText(text, magic, extension)
}

const inlineSafe = new Set([
  'text/plain',
  ...['png', 'apng', 'jpeg', 'gif', 'webp', 'avif', 'bmp'].map(kind => `image/${kind}`),
  ...['mpeg', 'mp4', 'x-m4a', 'aac', 'ogg', 'flac', 'wav'].map(kind => `audio/${kind}`),
  ...['mp4', 'x-m4v', 'webm', 'ogg', 'quicktime'].map(kind => `video/${kind}`),
])

/** Whether a browser may display it inline: only types that cannot contain scripts, unlike PDF, SVG and HTML. */
export const isInlineSafe = (mimeType: string): boolean => inlineSafe.has(mimeType)
