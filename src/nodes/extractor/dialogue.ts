import { ownValue } from '../../workflow/node-kind.ts'
import type { HistoryEntry } from '../../workflow/step.ts'
import { foldName } from '../mentions.ts'
import { clipText } from '../read-setting.ts'
import { mapValue, type Parameter, type Value } from './parameters.ts'

export interface DialogueState {
  values: Map<string, Value>
  turns: number
  /** The messages of this dialogue, oldest first. */
  history: HistoryEntry[]
  asked: string | undefined
}

/** As JSON, the form in which it is stored while the run waits. */
export const writeState = ({ values, turns, history, asked }: DialogueState) => ({
  values: Object.fromEntries(values),
  turns,
  history,
  asked: asked ?? null,
})

type StoredState = ReturnType<typeof writeState>

/** The stored state; empty for a new dialogue. */
export function readState(stored: unknown, parameters: readonly Parameter[]): DialogueState {
  const { values = {}, turns = 0, history = [], asked } = (stored ?? {}) as Partial<StoredState>
  // Converted again, so that no value outside the options gets through, whatever was stored.
  const known = parameters.map(each => [each.name, mapValue(each, ownValue(values, each.name))] as const)
  return {
    values: new Map(known.filter((entry): entry is [string, Value] => entry[1] !== undefined)),
    turns,
    history,
    asked: asked ?? undefined,
  }
}

const maxLabels = 20
const maxQuestionLength = 2000

/** A standard question if the reply of the model is none: it may repeat the user, or assume that it is done. */
export function questionFor(
  parameter: Parameter,
  reply: string,
  message: string,
  otherTexts: readonly string[],
): string {
  if (isQuestion(reply, message, parameter)) return clipText(reply.trim(), maxQuestionLength)
  const isChinese = [message, parameter.description, ...otherTexts].some(text => /\p{Script=Han}/u.test(text))
  const subject = parameter.description.trim() || parameter.name
  const labels = parameter.options.map(({ label }) => label)
  const shown = labels.slice(0, maxLabels)
  if (labels.length > maxLabels) shown.push('…')
  const listed = shown.join(isChinese ? '、' : ', ')
  const questions = isAsking.test(subject)
    ? ownQuestions(subject.replace(/[?？.。]+$/, ''), listed)
    : standardQuestions(parameter, subject, listed)
  return questions[isChinese ? 0 : 1]
}

/** Finds descriptions that are questions themselves, such as "which drink": "Which which drink would you like?" is none. */
const isAsking = /^(which|what|how|when|where|who|whether)\b|[哪几谁吗]|什么|多少|是否|怎样|怎么|如何/iu

function ownQuestions(subject: string, labels: string): [string, string] {
  const asked = subject.charAt(0).toUpperCase() + subject.slice(1)
  return labels
    ? [`请问${subject}（${labels}）？`, `${asked}? (${labels})`]
    : [`请问${subject}？`, `${asked}?`]
}

function isQuestion(reply: string, message: string, { name, description, options }: Parameter): boolean {
  // JSON in another form than requested, or cut off, would end up with the user.
  if (/\{\s*["']/.test(reply)) return false
  const asked = foldName(reply)
  if (asked === '' || (foldName(message) !== '' && foldName(message).startsWith(asked))) return false
  if (/[?？]|请|\bplease\b/.test(asked)) return true
  const names = [name, description, ...options.flatMap(({ label, value }) => [label, value])]
  return names.some(each => foldName(each) !== '' && asked.includes(foldName(each)))
}

/** In Chinese and in English. */
function standardQuestions({ type }: Parameter, subject: string, labels: string): [string, string] {
  const noun = subject.replace(/^(?:the|an?)\s+/i, '')
  const questions: Record<Parameter['type'], [string, string]> = {
    select: [`请问您要哪种${subject}（${labels}）？`, `Which ${noun} would you like? (${labels})`],
    list: labels
      ? [
          `请问您要哪些${subject}（可多选：${labels}）？`,
          `Which ${noun} would you like? (one or more of ${labels})`,
        ]
      : [`请问您要哪些${subject}？`, `Which ${noun} would you like?`],
    text: [`请问${subject}是什么？`, `What is the ${noun}?`],
    number: [`请问${subject}是多少？`, `What is the number for ${subject}?`],
    boolean: [`请问${subject}：是还是否？`, `${subject}: yes or no?`],
    date: [
      `请问${subject}是哪一天（例如 2026-11-15）？`,
      `What is the date for ${subject}? (such as 2026-11-15)`,
    ],
  }
  return questions[type]
}
