import { extensionOf, storableName } from '../../files/file-name.ts'
import { decodePercent } from '../../kernel/decode-percent.ts'
import { dispositionName } from '../../kernel/disposition-name.ts'
import { declaresXhtml, tokenizeHtml } from '../ingest/readers/html/tokenize-html.ts'
import { declaredEncoding, decodeText } from '../ingest/readers/text/decode-text.ts'
import type { FetchedPage } from './page-fetcher.ts'
import { WebFailure } from './web-failure.ts'

const openXml = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

/** The document reader takes the format from the extension. */
const extensionOfType: Record<string, string> = {
  'text/html': 'html',
  'application/xhtml+xml': 'xhtml',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'application/epub+zip': 'epub',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  [`${openXml}.wordprocessingml.document`]: 'docx',
  [`${openXml}.spreadsheetml.sheet`]: 'xlsx',
  [`${openXml}.presentationml.presentation`]: 'pptx',
  [`${openDocument}.text`]: 'odt',
  [`${openDocument}.spreadsheet`]: 'ods',
  [`${openDocument}.presentation`]: 'odp',
}
const extensions = new Set([...Object.values(extensionOfType), 'htm', 'markdown', 'log'])
const plainText = new Set('html htm xhtml txt log md markdown csv tsv json xml'.split(' '))

/** A title is near the start; pages may be large, and this runs on the main thread. */
const headBytes = 128 * 1024
const maxTitleLength = 200
const shortened = (text: string): string => [...text].slice(0, maxTitleLength).join('')

const decodedOrEmpty = (bytes: Uint8Array, charset: string | undefined): string => {
  try {
    return decodeText(bytes, charset)
  } catch {
    // The document reader reports the problem.
    return ''
  }
}

/** The first title of a page: pictures in SVG have titles, too. */
function titleOf(html: string): string {
  let title = ''
  let isInside = false
  let isOver = false
  tokenizeHtml(html, declaresXhtml(html), {
    open: name => {
      isInside = name === 'title' && !isOver
    },
    close: name => {
      if (name === 'title') isOver = true
      isInside = false
    },
    text: data => {
      if (isInside) title += data
    },
  })
  return shortened(title.replace(/\s+/g, ' ').trim())
}

const lastPart = (url: URL): string =>
  decodePercent(url.pathname.split('/').findLast(part => part !== '') ?? '')

const withoutExtension = (name: string): string => name.replace(/\.[A-Za-z0-9]{1,8}$/, '')

export interface PageContent {
  title: string
  /** The name of the document's file. */
  name: string
  bytes: Uint8Array
  isHtml: boolean
}

/** The content of the document. A text whose encoding is named only by the header is converted to UTF-8. */
export function pageContent({ bytes, headers, url: address }: FetchedPage): PageContent {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map(part => part.trim())
  const charset = parameters.map(each => /^charset\s*=\s*"?([^"\s]+)"?$/i.exec(each)?.[1]).find(Boolean)
  const url = new URL(address)
  const file = dispositionName(headers['content-disposition']) || lastPart(url)
  const extension = extensionFor(type.toLowerCase(), file)
  if (extension === undefined)
    throw new WebFailure(
      'unsupported_type',
      `${url.host} sent ${type || 'content without a type'}, which is not a page and not a document. ` +
        'Add pages, and files such as PDF, DOCX, Markdown and text.',
    )
  const isHtml = extension === 'html' || extension === 'htm' || extension === 'xhtml'
  const declared = charset ?? (isHtml ? declaredEncoding(bytes) : undefined)
  const title = (isHtml && titleOf(decodedOrEmpty(bytes.subarray(0, headBytes), declared))) || ''
  const shown = title || withoutExtension(file) || url.host
  return {
    title: shown,
    name: `${shortened(storableName(shown))}.${extension}`,
    bytes: plainText.has(extension) && charset !== undefined ? inUnicode(bytes, charset) : bytes,
    isHtml,
  }
}

/** Undefined if the content cannot be a document. Servers send types that they do not know as a stream of octets. */
function extensionFor(type: string, file: string): string | undefined {
  const known = extensionOfType[type]
  const own = extensionOf(file)
  const isKnown = extensions.has(own)
  // Markdown and tables are mostly sent as plain text.
  if (known === 'txt' && isKnown) return own
  if (known !== undefined) return known
  if (type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream')
    return isKnown ? own : undefined
  return type.startsWith('text/') ? (isKnown ? own : 'txt') : undefined
}

const utf8 = /^(utf-?8|us-ascii|ascii)$/i

/** A byte order mark outranks what the page itself declares, and the header outranks both. */
function inUnicode(bytes: Uint8Array, charset: string): Uint8Array {
  if (utf8.test(charset)) return bytes
  const text = decodedOrEmpty(bytes, charset)
  return text === '' ? bytes : Buffer.from(`\ufeff${text}`)
}
