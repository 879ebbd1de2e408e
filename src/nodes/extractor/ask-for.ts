import { clipText } from '../clip-text.ts'
import { foldName } from '../mentions.ts'
import type { Parameter } from './parameter.ts'

const mostLabels = 20
const longestReply = 2000

/**
 * What to ask the user. The model's own words, where they ask for something; a model that repeats the user, or thinks
 * that it is done, gets a plain question in its place.
 */
export function askFor(
  parameter: Parameter,
  reply: string,
  heard: string,
  otherWords: readonly string[],
): string {
  if (isFitting(reply, heard, parameter)) return clipText(reply.trim(), longestReply)
  const isChinese = [heard, parameter.description, ...otherWords].some(text => /\p{Script=Han}/u.test(text))
  const subject = parameter.description.trim() || parameter.name
  const labels = parameter.options.map(({ label }) => label)
  const shown = labels.slice(0, mostLabels)
  if (labels.length > mostLabels) shown.push('…')
  return isChinese
    ? inChinese(parameter, subject, shown.join('、'))
    : inEnglish(parameter, subject, shown.join(', '))
}

function isFitting(reply: string, heard: string, { name, description, options }: Parameter): boolean {
  const said = foldName(reply)
  if (said === '' || (foldName(heard) !== '' && foldName(heard).startsWith(said))) return false
  if (/[?？]|请|\bplease\b/.test(said)) return true
  const names = [name, description, ...options.flatMap(({ label, value }) => [label, value])]
  return names.some(each => foldName(each) !== '' && said.includes(foldName(each)))
}

function inChinese({ type }: Parameter, subject: string, labels: string): string {
  const questions: Record<Parameter['type'], string> = {
    select: `请问您要哪种${subject}（${labels}）？`,
    list: labels ? `请问您要哪些${subject}（可多选：${labels}）？` : `请问您要哪些${subject}？`,
    text: `请问${subject}是什么？`,
    number: `请问${subject}是多少？`,
    boolean: `请问${subject}：是还是否？`,
    date: `请问${subject}是哪一天（例如 2026-11-15）？`,
  }
  return questions[type]
}

function inEnglish({ type }: Parameter, subject: string, labels: string): string {
  const questions: Record<Parameter['type'], string> = {
    select: `Which ${subject} would you like? (${labels})`,
    list: labels
      ? `Which ${subject} would you like? (one or more of ${labels})`
      : `Which ${subject} would you like?`,
    text: `What is the ${subject}?`,
    number: `Which number should be noted for ${subject}?`,
    boolean: `${subject}: yes or no?`,
    date: `Which day should be noted for ${subject}? (such as 2026-11-15)`,
  }
  return questions[type]
}
