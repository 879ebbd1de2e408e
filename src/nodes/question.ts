import { isJsonRecord, type JsonRecord, type NodeKind } from '../workflow/node-kind.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import { readList, readText, textOf } from './read-setting.ts'

/** Asks the user and waits for the answer. */
export const question: NodeKind<unknown> = {
  kind: 'question',
  nodeType: 'base',
  title: 'Question',
  fields: {
    question: { is: 'template', input: 'paragraph' },
    options: { is: 'list', of: { is: 'template', input: 'line' } },
  },
  required: ['question'],
  outputs: () => ['answer', 'text', 'result'],
  waits: true,
  run(step, data) {
    if (step.resumed) {
      const { state, reply } = step.resumed
      const answer = chosenOption(reply.text, optionsOfState(state))
      return { outputs: { answer, text: answer, result: answer } }
    }
    const asked = step.text(readText(data, 'question'))
    if (asked.trim() === '') {
      const message = 'The question is empty after its references were filled in; check "question".'
      throw new StepFailure('step_failed', message)
    }
    const options = readOptions(step, data)
    // The options travel with the wait, so that the answer is judged by those that the user saw.
    return { wait: { question: asked, ...(options.length > 0 && { options }), state: { options } } }
  },
}

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

/** The option that a reply means: by its words, whatever their case, or by its number. Others stay as they are. */
function chosenOption(reply: string, options: readonly string[]): string {
  const said = reply.trim()
  const folded = said.toLowerCase()
  const byWords =
    options.find(option => option === said) ?? options.find(option => option.toLowerCase() === folded)
  if (byWords !== undefined) return byWords
  const number = /^(\d+)[.)、]?$/.exec(said)?.[1]
  const byNumber = number === undefined ? undefined : options[Number(number) - 1]
  return byNumber ?? reply
}
