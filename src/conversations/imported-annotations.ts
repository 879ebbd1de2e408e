import type { AnnotationSkipReason } from '../contract/annotation-operations.ts'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { importedLines } from '../kernel/imported-records.ts'
import { isBlank } from '../kernel/is-blank.ts'
import type { Annotation } from './annotation-store.ts'

/** A line that cannot be an annotation. */
export interface SkippedLine {
  line: number
  reason: AnnotationSkipReason
  message: string
}

type Written = Pick<Annotation, 'question' | 'answer'>

const longest = { question: limits.annotationQuestionLength, answer: limits.annotationAnswerLength }
const names = ['question', 'answer'] as const

function problemOf(fields: Record<string, unknown>): Omit<SkippedLine, 'line'> | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value !== 'string' || isBlank(value))
      return { reason: `no_${name}`, message: `\`${name}\` is missing` }
    if (value.length > longest[name])
      return { reason: 'too_long', message: `\`${name}\` has more than ${longest[name]} characters` }
  }
  return undefined
}

/** The annotations of a text, and the lines that are none. */
export function importedAnnotations(
  format: 'csv' | 'jsonl',
  content: string,
): { written: Written[]; skipped: SkippedLine[] } {
  const lines = importedLines(format, content, limits.annotations)
  const header = format === 'csv' ? lines[0]?.fields : undefined
  if (header && names.some(name => !(name in header)))
    throw invalidField('/content', 'the first line must name the columns: question,answer')
  const written: Written[] = []
  const skipped: SkippedLine[] = []
  for (const { line, fields } of lines) {
    const problem = fields
      ? problemOf(fields)
      : { reason: 'not_json' as const, message: 'it is not a JSON object' }
    if (problem) skipped.push({ line, ...problem })
    else written.push({ question: fields!['question'] as string, answer: fields!['answer'] as string })
  }
  return { written, skipped }
}
