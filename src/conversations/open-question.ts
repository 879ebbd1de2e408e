import { isJsonRecord, ownValue } from '../workflow/json-record.ts'

export interface OpenQuestion {
  question: string
  options: string[]
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []

function questionIn(value: unknown): OpenQuestion | undefined {
  if (Array.isArray(value)) return value.map(questionIn).find(found => found !== undefined)
  if (!isJsonRecord(value)) return undefined
  const question = ownValue(value, 'question')
  if (typeof question === 'string') return { question, options: textsIn(ownValue(value, 'options')) }
  return questionIn(ownValue(value, 'questions'))
}

/** The first question that a waiting run asks, from what its journal holds of it. */
export function openQuestion(waiting: string | undefined): OpenQuestion | undefined {
  try {
    return waiting === undefined ? undefined : questionIn(JSON.parse(waiting))
  } catch {
    return undefined
  }
}
