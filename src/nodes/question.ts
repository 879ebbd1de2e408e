import { isJsonRecord, type JsonRecord } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { defineKind, field, line, paragraph } from './kind-definition.ts'
import { foldName } from './mentions.ts'
import { readList, readText, textOf } from './read-setting.ts'

export const question = defineKind({
  kind: 'question',
  nodeType: 'base',
  group: 'talk',
  en: ['Question', 'Asks the user and waits for the answer.'],
  zh: ['提问', '向用户提问，等到回答后再继续。'],
  fields: {
    question: field(paragraph, ['Question', 'The question to the user.'], ['问题', '向用户提出的问题。']),
    options: field(
      { is: 'list', of: line },
      [
        'Options',
        'Suggested answers; the user may also type another answer. A reference may supply a whole list.',
      ],
      ['选项', '供用户选择的回答，用户也可以另写。一个引用也可以给出整个列表。'],
    ),
  },
  required: ['question'],
  initialData: { question: 'Could you tell me more?', options: [] },
  initialDataZh: { question: '可以再说详细一些吗？' },
  outputs: () => ['answer', 'text', 'result', 'files', 'action'],
  waits: true,
  run(step, data) {
    if (step.resumed) {
      const { state, reply } = step.resumed
      const { files, action } = reply
      const answer = chosenOption(reply.text, optionsOfState(state))
      const sent = { ...(files.length > 0 && { files }), ...(action !== '' && { action }) }
      return { outputs: { answer, text: answer, result: answer, ...sent } }
    }
    const asked = step.text(readText(data, 'question'))
    if (asked.trim() === '')
      throw stepFailed('The question is empty after its references were replaced; check "question".')
    const options = readOptions(step, data)
    // The options are stored with the wait, so that the answer is matched against those that the user saw.
    return { wait: { question: asked, ...(options.length > 0 && { options }), state: { options } } }
  },
})

/** An element may be a reference to one option or to a list of them. */
function readOptions(step: Step, data: JsonRecord): string[] {
  const options = readList(data, 'options')
    .flatMap(element => step.fill(element))
    .map(option => textOf(option).trim())
    .filter(option => option !== '')
  return [...new Set(options)]
}

function optionsOfState(state: unknown): string[] {
  const record = isJsonRecord(state) ? state : {}
  return readList(record, 'options').filter(option => typeof option === 'string')
}

/** A longer reply is no option with a few marks around it. */
const maxChoiceLength = 2000

/** A name without the marks that a transcription or an input method adds around it. */
const bareName = (text: string): string =>
  foldName(text)
    .replace(/\s+/g, ' ')
    .replace(/^["'“‘「『]+|["'”’」』.。!,、;]+$/g, '')

/** The option that a reply matches, by its text or by its number; otherwise the reply itself. */
function chosenOption(reply: string, options: readonly string[]): string {
  const said = reply.trim()
  if (said.length > maxChoiceLength) return reply
  for (const form of [String, foldName, bareName]) {
    const chosen = options.find(option => form(option) === form(said))
    if (chosen !== undefined && form(said) !== '') return chosen
  }
  const number = /^(\d+)[.)、。]?$/.exec(foldName(said))?.[1]
  const byNumber = number === undefined ? undefined : options[Number(number) - 1]
  return byNumber ?? reply
}
