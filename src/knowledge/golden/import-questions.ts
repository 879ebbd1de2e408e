import type { SkipReason } from '../../contract/golden-operations.ts'
import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { parseCsv } from '../../kernel/csv.ts'
import { takeRecords } from '../../kernel/imported-records.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { parsedJson } from '../../kernel/parsed-json.ts'

/** Why a line cannot be added: as a code, and in words. */
export interface Problem {
  reason: SkipReason
  message: string
}

/** One line of an import. The documents are named by id or by file name. */
interface ImportedQuestion {
  line: number
  question: string
  documents: string[]
  text: string
  problem?: Problem
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

function problemOf({ question, documents, text }: Omit<ImportedQuestion, 'line'>): Problem | undefined {
  const { goldenQuestionLength, goldenDocuments, goldenTextLength } = limits
  if (question === '') return { reason: 'no_question', message: 'the question is missing' }
  if (question.length > goldenQuestionLength)
    return { reason: 'too_long', message: `the question is longer than ${goldenQuestionLength} characters` }
  if (documents.length === 0) return { reason: 'no_document', message: 'the document is missing' }
  if (documents.length > goldenDocuments)
    return { reason: 'too_many_documents', message: `more than ${goldenDocuments} documents` }
  if (text.length > goldenTextLength)
    return { reason: 'too_long', message: `the text is longer than ${goldenTextLength} characters` }
  return undefined
}

function checked(line: number, sent: Omit<ImportedQuestion, 'line'>): ImportedQuestion {
  const problem = problemOf(sent)
  return { line, ...sent, ...(problem && { problem }) }
}

function fromCsv(content: string): ImportedQuestion[] {
  const records = parseCsv(content)
  const header: string[] = records.next().value?.cells ?? []
  const column = (names: readonly string[]): number =>
    header.findIndex(cell => names.includes(cell.trim().toLowerCase()))
  const question = column(columnNames.question)
  const document = column(columnNames.documents)
  const text = column(columnNames.text)
  if (question < 0 || document < 0)
    throw invalidField(
      '/content',
      'the first line must name the columns: question, document and, if you like, text',
    )
  // Several documents are separated by a bar, which is rare in file names.
  return takeRecords(records, limits.goldenImportLines).map(({ line, cells }) =>
    checked(line, {
      question: (cells[question] ?? '').trim(),
      documents: strings((cells[document] ?? '').split('|')),
      text: (cells[text] ?? '').trim(),
    }),
  )
}

function* jsonValues(content: string): Generator<{ line: number; value: unknown }> {
  const whole = content.trimStart().startsWith('[') ? parsedJson(content) : undefined
  if (Array.isArray(whole)) for (const [at, value] of whole.entries()) yield { line: at + 1, value }
  else
    for (const [at, json] of content.split('\n').entries())
      if (json.trim() !== '') yield { line: at + 1, value: parsedJson(json) }
}

function fromJsonLines(content: string): ImportedQuestion[] {
  const values = takeRecords(jsonValues(content), limits.goldenImportLines)
  return values.map(({ line, value }): ImportedQuestion => {
    if (!isRecord(value)) {
      const problem: Problem = { reason: 'not_json', message: 'it is not a JSON object' }
      return { line, question: '', documents: [], text: '', problem }
    }
    const member = (names: readonly string[]): unknown => names.map(name => value[name]).find(Boolean)
    const [question = ''] = strings(member(columnNames.question))
    const [text = ''] = strings(member(columnNames.text))
    return checked(line, { question, documents: strings(member(columnNames.documents)), text })
  })
}

/** Questions as CSV with a header, as JSON lines, or as a JSON array. */
export function importedQuestions(format: 'csv' | 'jsonl', content: string): ImportedQuestion[] {
  const text = content.replace(/^\uFEFF/, '')
  return format === 'csv' ? fromCsv(text) : fromJsonLines(text)
}
