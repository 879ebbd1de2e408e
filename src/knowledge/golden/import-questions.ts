import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { CsvRows } from '../ingest/readers/data/read-csv.ts'

/** One line of an import. The documents are named by id or by file name. */
export interface ImportedQuestion {
  line: number
  question: string
  documents: string[]
  text: string
  /** Why it cannot be added. */
  problem?: string
}

const columnNames = {
  question: ['question', 'query', '问题'],
  documents: ['document', 'documents', 'file_id', 'file_ids', 'file_name', 'file', '文档'],
  text: ['text', 'expected_text', '文本'],
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter(each => typeof each === 'string')
    .map(each => each.trim())
    .filter(each => each !== '')

function checked(line: number, sent: { question: string; documents: string[]; text: string }) {
  const { question, documents, text } = sent
  const problem = [
    question === '' && 'the question is missing',
    question.length > limits.goldenQuestionLength &&
      `the question is longer than ${limits.goldenQuestionLength} characters`,
    documents.length === 0 && 'the document is missing',
    documents.length > limits.goldenDocuments && `more than ${limits.goldenDocuments} documents`,
    text.length > limits.goldenTextLength && `the text is longer than ${limits.goldenTextLength} characters`,
  ].find(each => each !== false)
  return { line, ...sent, ...(problem !== undefined && { problem }) }
}

function fromCsv(content: string): ImportedQuestion[] {
  const [header = [], ...rows] = new CsvRows(content, ',')
  const column = (names: readonly string[]): number =>
    header.findIndex(cell => names.includes(cell.toLowerCase()))
  const question = column(columnNames.question)
  const document = column(columnNames.documents)
  const text = column(columnNames.text)
  if (question < 0 || document < 0)
    throw invalidField(
      '/content',
      'the first line must name the columns: question, document and, if you like, text',
    )
  // Several documents are separated by a bar, which file names hardly contain.
  return rows.map((row, at) =>
    checked(at + 2, {
      question: row[question] ?? '',
      documents: strings((row[document] ?? '').split('|')),
      text: row[text] ?? '',
    }),
  )
}

function fromJsonLines(content: string): ImportedQuestion[] {
  return content.split('\n').flatMap((json, at): ImportedQuestion[] => {
    const line = at + 1
    if (json.trim() === '') return []
    let value: unknown
    try {
      value = JSON.parse(json)
    } catch {
      value = undefined
    }
    if (!isRecord(value))
      return [{ line, question: '', documents: [], text: '', problem: 'it is not a JSON object' }]
    const member = (names: readonly string[]): unknown => names.map(name => value[name]).find(Boolean)
    const [question = ''] = strings(member(columnNames.question))
    const [text = ''] = strings(member(columnNames.text))
    return [checked(line, { question, documents: strings(member(columnNames.documents)), text })]
  })
}

/** Questions as CSV with a header, or as JSON lines. */
export function importedQuestions(format: 'csv' | 'jsonl', content: string): ImportedQuestion[] {
  const text = content.replace(/^\uFEFF/, '')
  const found = format === 'csv' ? fromCsv(text) : fromJsonLines(text)
  if (found.length > limits.goldenImportLines)
    throw invalidField('/content', `has ${found.length} lines; at most ${limits.goldenImportLines}`)
  return found
}
