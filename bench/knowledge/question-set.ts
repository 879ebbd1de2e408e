import { readFile } from 'node:fs/promises'

interface Paragraph {
  context: string
  qas: { question: string }[]
}

/** The forms of SQuAD and CMRC 2018: articles of paragraphs, or paragraphs alone. */
type DataSet = { data: DataSet } | ({ paragraphs: Paragraph[] } | Paragraph)[]

export interface QuestionSet {
  passages: string[]
  /** Questions with the number of the passage that each was written for. */
  questions: { question: string; number: number }[]
}

export async function readQuestionSet(path: string): Promise<QuestionSet> {
  const content = JSON.parse(await readFile(path, 'utf8')) as DataSet
  const entries = Array.isArray(content) ? content : (content.data as Exclude<DataSet, { data: DataSet }>)
  const paragraphs = entries.flatMap(entry => ('paragraphs' in entry ? entry.paragraphs : [entry]))
  return {
    passages: paragraphs.map(({ context }) => context),
    questions: paragraphs.flatMap(({ qas }, number) =>
      qas.flatMap(({ question }) => (question.trim() === '' ? [] : [{ question, number }])),
    ),
  }
}

export const passageName = (number: number): string => `passage ${number}.txt`

/**
 * The rank of a passage, from 0; -1 if it was not found. A long passage is cut into chunks; the first of them counts
 * for it.
 */
export const rankOf = (found: readonly { file_name: string }[], fileName: string): number =>
  [...new Set(found.map(item => item.file_name))].indexOf(fileName)
