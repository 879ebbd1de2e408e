import type { Passage } from '../find-passages.ts'

/** [1], [1, 2], and the brackets that Chinese answers use. */
const mark = /[[【]\s*(\d{1,4}(?:\s*[,，、;；]\s*\d{1,4})*)\s*[\]】]/g

export interface Citation extends Omit<Passage, 'heading'> {
  /** Whether the answer names it. */
  cited: boolean
}

/** The passages that an answer names by their numbers; all that were found where it names none. */
export function citationsOf(answer: string, passages: readonly Passage[]): Citation[] {
  const named = new Set([...answer.matchAll(mark)].flatMap(match => match[1]!.split(/[^\d]+/).map(Number)))
  const cited = passages.filter(passage => named.has(passage.index))
  const shown = cited.length > 0 ? cited : passages
  return shown.map(({ heading: _, ...passage }) => ({ ...passage, cited: cited.length > 0 }))
}
