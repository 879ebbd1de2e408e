import type { ModelMessage } from '../models/language-model.ts'
import { isJsonRecord, type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { type Outcome, type Reply, type Step, StepFailure } from '../workflow/step.ts'
import { askModel } from './ask-model.ts'
import { clipText } from './clip-text.ts'
import { askFor } from './extractor/ask-for.ts'
import { type DialogueState, readState, writeState } from './extractor/dialogue-state.ts'
import type { Value } from './extractor/map-value.ts'
import type { Parameter } from './extractor/parameter.ts'
import { parameterGaps, parameterTypes, readDefaults, readParameters } from './extractor/read-parameters.ts'
import { takeValues } from './extractor/take-values.ts'
import { turnOrders } from './extractor/turn-orders.ts'
import { turnSchema } from './extractor/turn-schema.ts'
import { findModel } from './find-model.ts'
import { recentTurns } from './llm/recent-turns.ts'
import type { NodeServices } from './node-services.ts'
import { readJsonAnswer } from './read-json-answer.ts'
import { numberGaps, readNumber, readText } from './read-setting.ts'
import { userParts } from './user-parts.ts'

const defaultTurns = 10
const mostTurns = 100
/** Characters of a message that later turns still see. */
const historyLength = 2000

/** Leads a dialogue that fills parameters one by one. */
export const multimodalDialogueAndInformationExtractor: NodeKind<NodeServices> = {
  kind: 'multimodal_dialogue_and_information_extractor',
  nodeType: 'embody',
  waits: true,
  title: 'Information extractor',
  fields: {
    parameters: {
      is: 'list',
      of: {
        is: 'object',
        required: ['name'],
        fields: {
          name: { is: 'text', input: 'line' },
          type: { is: 'text', options: parameterTypes },
          description: { is: 'text', input: 'paragraph' },
          options: { is: 'dictionary', of: { is: 'text', input: 'line' } },
          required: { is: 'boolean' },
          default: { is: 'anything' },
        },
      },
    },
    instruction: { is: 'template', input: 'paragraph' },
    role: { is: 'template', input: 'paragraph' },
    model: { is: 'template', input: 'model' },
    max_turns: { is: 'number' },
  },
  repeatsNodeId: 'id',
  required: ['parameters'],
  gaps: data => [
    ...parameterGaps(data),
    ...numberGaps(data, 'max_turns', { from: 1, to: mostTurns, whole: true }),
  ],
  outputs: data => [...new Set([...readParameters(data).map(({ name }) => name), 'result', 'text'])],
  timeoutMilliseconds: 120_000,
  attempts: 3,
  run: takeTurn,
}

/** What is the same in every turn. */
interface Task {
  parameters: readonly Parameter[]
  defaults: ReadonlyMap<string, Value>
  role: string
  instruction: string
  model: unknown
}

type Said = Pick<Reply, 'text' | 'files'>

async function takeTurn(step: Step, data: JsonRecord, services: NodeServices): Promise<Outcome> {
  const parameters = readParameters(data)
  const task: Task = {
    parameters,
    defaults: readDefaults(data),
    role: step.text(readText(data, 'role')),
    instruction: step.text(readText(data, 'instruction')),
    model: ownValue(data, 'model'),
  }
  const before = readState(step.resumed?.state, parameters)
  const said: Said = step.resumed?.reply ?? { text: step.system.query, files: step.system.files }
  const isSilent = said.text.trim() === '' && said.files.length === 0
  // A run that begins without a word is opened by the question, which is no turn of the user.
  const turns = before.turns + (isSilent && !step.resumed ? 0 : 1)
  const heard = isSilent
    ? { values: before.values, reply: '', text: '' }
    : await listen(step, services, task, before, said)
  const missing = missingOf(task, heard.values)
  const [asked] = missing
  if (!asked) return { outputs: outputsOf(task, heard.values) }
  if (turns >= (readNumber(data, 'max_turns') ?? defaultTurns)) throw givesUp(turns, missing)
  const question = askFor(asked, heard.reply, heard.text, [task.instruction, task.role])
  const history = [
    ...before.history,
    ...entriesOf(said, isSilent),
    { role: 'assistant', content: question } as const,
  ]
  const state: DialogueState = { values: heard.values, turns, history, asked: asked.name }
  const options = asked.options.map(({ label }) => label)
  return { wait: { question, ...(options.length > 0 && { options }), state: writeState(state) } }
}

const missingOf = ({ parameters, defaults }: Task, values: ReadonlyMap<string, Value>): Parameter[] =>
  parameters.filter(({ name, required }) => required && !values.has(name) && !defaults.has(name))

/** One call of the model per turn. The options and all else it must know are in the first message. */
async function listen(step: Step, services: NodeServices, task: Task, before: DialogueState, said: Said) {
  const { parameters } = task
  const missing = missingOf(task, before.values)
  const orders = turnOrders({ ...task, values: before.values, missing, today: step.system.time.slice(0, 10) })
  const parts = await userParts(step, services, said.text, said.files)
  const messages: ModelMessage[] = [
    { role: 'system', text: orders },
    ...recentTurns(before.history, mostTurns),
    { role: 'user', parts },
  ]
  const answer = await askModel(step, {
    model: await findModel(step, services, task.model),
    name: `turn-${before.turns + 1}`,
    request: { messages, jsonSchema: { name: 'turn', schema: turnSchema(parameters) } },
  })
  const parsed = readJsonAnswer(answer.text)
  const found = isJsonRecord(parsed) ? ownValue(parsed, 'values') : undefined
  const reply = isJsonRecord(parsed) ? ownValue(parsed, 'reply') : answer.text
  const given = isJsonRecord(found) ? found : {}
  const asked = before.asked ?? missing[0]?.name
  return {
    values: takeValues(parameters, before.values, { words: said.text, given, asked }),
    reply: typeof reply === 'string' ? reply : '',
    text: parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n'),
  }
}

function entriesOf({ text, files }: Said, isSilent: boolean) {
  if (isSilent) return []
  const names = files.map(({ name }) => `[${name}]`).join(' ')
  return [{ role: 'user', content: clipText(`${text} ${names}`.trim(), historyLength) } as const]
}

function outputsOf({ parameters, defaults }: Task, values: ReadonlyMap<string, Value>) {
  const all = parameters.map(({ name }) => [name, values.get(name) ?? defaults.get(name) ?? null] as const)
  const text = all
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(' + ') : value}`)
    .join(', ')
  // In a text, what was not said must not read as "null".
  const single = Object.fromEntries(all.map(([name, value]) => [name, value ?? '']))
  return { result: Object.fromEntries(all), text, ...single }
}

function givesUp(turns: number, missing: readonly Parameter[]): StepFailure {
  const names = missing.map(({ name }) => JSON.stringify(name)).join(', ')
  const message = `After ${turns} ${turns === 1 ? 'turn' : 'turns'} this is still missing: ${names}. Begin again, or raise max_turns.`
  return new StepFailure('step_failed', message)
}
