import { parseInPieces } from '../kernel/parse-in-pieces.ts'
import type { Pausable } from '../kernel/slices.ts'
import { isJsonRecord, ownValue } from './json-record.ts'

/** Matches [1], [1, 2], and the same with the brackets of Chinese texts, 【1】. */
export const citationMark = /[[【]\s*(\d{1,4}(?:\s*[,，、;；]\s*\d{1,4}){0,99})\s*[\]】]/g

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

/** Clients turn the URL of a source into a link, so only web addresses are accepted. */
const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** A run may output anything under these names, so a value that is not a passage is ignored. */
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

/** The text that a step wrote, and its passages. */
interface CitingStep {
  text: string
  files: CitedFile[]
}

/** The steps with passages: the output `citations` of a model node, or `items` of a search. */
export function* citingSteps(
  steps: readonly { outputs?: string | undefined }[],
): Pausable<readonly CitingStep[]> {
  const citing: CitingStep[] = []
  for (const { outputs = 'null' } of steps) {
    const parsed = yield* parseInPieces(outputs)
    yield
    if (!isJsonRecord(parsed)) continue
    const found = ownValue(parsed, 'citations') ?? ownValue(parsed, 'items')
    const files = Array.isArray(found) ? found.flatMap(citedFile) : []
    const text = ownValue(parsed, 'text')
    if (files.length > 0) citing.push({ text: typeof text === 'string' ? text.trim() : '', files })
  }
  return citing
}

/** Resolves the marks of a message by the passages of the step that wrote it, or else of the last step with passages. */
export function citationsIn(message: string, citing: readonly CitingStep[]): Citation[] {
  const marks = [...message.matchAll(citationMark)]
  if (marks.length === 0) return []
  const source = citing.find(({ text }) => text !== '' && message.includes(text)) ?? citing.at(-1)
  const files = new Map(source?.files.map(file => [file.index, file]))
  return marks.flatMap(mark =>
    citedIndexes(mark).flatMap(index => {
      const file = files.get(index)
      return file ? [{ ...file, start: mark.index, end: mark.index + mark[0].length }] : []
    }),
  )
}
