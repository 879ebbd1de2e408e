import { isJsonRecord, ownValue } from './json-record.ts'

/** [1], [1, 2], and the brackets of Chinese answers. */
export const citationMark = /[[【]\s*(\d{1,4}(?:\s*[,，、;；]\s*\d{1,4}){0,99})\s*[\]】]/g

/** The passages that a mark refers to by number. */
export const citedIndexes = (mark: RegExpExecArray): number[] => mark[1]!.split(/[^\d]+/).map(Number)

/** A place in a text where a document is cited. */
export interface Citation {
  start: number
  end: number
  index: number
  fileId: string
  fileName: string
  /** The address of a web page. */
  sourceUrl?: string
  /** The passage. */
  content: string
  /** The pages it stands on, in formats that have pages. */
  page?: number
  lastPage?: number
}

type CitedFile = Omit<Citation, 'start' | 'end'>

/** Clients make links of it, so nothing but a web address passes. */
const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** A run may output anything under these names: what is not a passage is ignored. */
function citedFile(value: unknown): CitedFile[] {
  if (!isJsonRecord(value)) return []
  const fields = ['index', 'file_id', 'file_name', 'content']
  const [index, fileId, fileName, content] = fields.map(name => ownValue(value, name))
  if (typeof index !== 'number' || typeof fileId !== 'string' || typeof fileName !== 'string') return []
  const [page, lastPage] = ['page', 'last_page'].map(name => ownValue(value, name))
  const pages = typeof page === 'number' && { page, lastPage: typeof lastPage === 'number' ? lastPage : page }
  const sourceUrl = ownValue(value, 'source_url')
  const source = isWebUrl(sourceUrl) && { sourceUrl }
  return [
    { index, fileId, fileName, content: typeof content === 'string' ? content : '', ...pages, ...source },
  ]
}

/** The passages that a step received, and the text it wrote: a model names them `citations`, a search `items`. */
function passagesOf({ outputs }: { outputs?: string | undefined }) {
  const parsed: unknown = outputs === undefined ? undefined : JSON.parse(outputs)
  if (!isJsonRecord(parsed)) return { text: '', files: [] }
  const found = ownValue(parsed, 'citations') ?? ownValue(parsed, 'items')
  const text = ownValue(parsed, 'text')
  return {
    text: typeof text === 'string' ? text.trim() : '',
    files: Array.isArray(found) ? found.flatMap(citedFile) : [],
  }
}

/** What the marks of a message refer to: by the step that wrote it, or if unknown by the last step with passages. */
export function citationsIn(message: string, steps: readonly { outputs?: string | undefined }[]): Citation[] {
  const marks = [...message.matchAll(citationMark)]
  if (marks.length === 0) return []
  const citing = steps.map(passagesOf).filter(({ files }) => files.length > 0)
  const source = citing.find(({ text }) => text !== '' && message.includes(text)) ?? citing.at(-1)
  const files = new Map(source?.files.map(file => [file.index, file]))
  return marks.flatMap(mark =>
    citedIndexes(mark).flatMap(index => {
      const file = files.get(index)
      return file ? [{ ...file, start: mark.index, end: mark.index + mark[0].length }] : []
    }),
  )
}
