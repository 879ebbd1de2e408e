import type { Block, ReadBlocks } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import {
  type BinaryFormat,
  type DocumentFormat,
  formatOf,
  supportedFormats,
  type TextFormat,
} from './document-format.ts'
import { charactersOf, normalizeBlock } from './normalize-block.ts'
import { declaredEncoding, decodeText } from './text/decode-text.ts'

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
  notebook: async text => (await import('./data/read-notebook.ts')).readNotebook(text),
  code: async text => (await import('./text/read-code.ts')).readCode(text),
}

const readBinary: Record<BinaryFormat, (bytes: Uint8Array) => Promise<ReadBlocks>> = {
  pdf: async bytes => (await import('./pdf/read-pdf.ts')).readPdf(bytes),
  docx: async bytes => (await import('./office/read-docx.ts')).readDocx(bytes),
  xlsx: async bytes => (await import('./office/read-xlsx.ts')).readXlsx(bytes),
  pptx: async bytes => (await import('./office/read-pptx.ts')).readPptx(bytes),
  odt: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'odt'),
  ods: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'ods'),
  odp: async bytes => (await import('./office/read-open-document.ts')).readOpenDocument(bytes, 'odp'),
  epub: async bytes => (await import('./office/read-epub.ts')).readEpub(bytes),
}

const isTextFormat = (format: DocumentFormat): format is TextFormat => Object.hasOwn(readText, format)

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

const noText = (): DocumentFailure =>
  new DocumentFailure(
    'no_text',
    'No text was found in the file. If it is a scan, run text recognition (OCR) first.',
  )

const blocksOf = (file: DocumentFile): Promise<ReadBlocks> => {
  const format = formatOfFile(file)
  if (!isTextFormat(format)) return readBinary[format](file.bytes)
  const declared = format === 'html' ? declaredEncoding(file.bytes) : undefined
  return readText[format](decodeText(file.bytes, declared))
}

/** The normalized blocks of a file of any supported format. Throws only `DocumentFailure`. */
export async function* readDocument(
  file: DocumentFile,
  maxCharacters = maxCharactersOfFile,
): AsyncGenerator<Block> {
  if (file.bytes.byteLength === 0) throw noText()
  let characters = 0
  for await (const raw of await blocksOf(file)) {
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
  if (characters === 0) throw noText()
}
