import type { ModelMessage } from '../models/language-model.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Outcome, type Reply, type Step, type StepFailure, stepFailed } from '../workflow/step.ts'
import { type DialogueState, questionFor, readState, writeState } from './extractor/dialogue.ts'
import {
  checkParameters,
  type Parameter,
  parameterTypes,
  readParameters,
  type Value,
} from './extractor/parameters.ts'
import { takeValues } from './extractor/take-values.ts'
import { type Task, turnInstructions, turnSchema } from './extractor/turn-prompt.ts'
import {
  defineKind,
  field,
  type KindFields,
  modelField,
  objects,
  paragraph,
  wholeNumber,
} from './kind-definition.ts'
import { askModel, findModel, readJsonAnswer } from './model-call.ts'
import { newFiles, PromptFiles, recentTurns } from './model-messages.ts'
import type { NodeServices } from './node-services.ts'
import { clipText, readNumber, readText } from './read-setting.ts'

const defaultTurns = 10
const maxTurns = 100
/** Characters of a message that later turns still see. */
const historyLength = 2000

const parameterFields: KindFields = {
  name: field(
    { is: 'text', input: 'line' },
    ['Name', 'Also the name of its output.'],
    ['名称', '也是保存它的值的输出名。'],
  ),
  type: field(
    { is: 'text', options: parameterTypes },
    ['Type', 'Text if empty.'],
    ['类型', '不填时按文本处理。'],
  ),
  description: field(
    { is: 'text', input: 'paragraph' },
    ['Description', 'Helps the model to recognise the value and ask for it.'],
    ['说明', '它指的是什么，供模型理解和提问时参考。'],
  ),
  options: field(
    { is: 'dictionary', of: { is: 'text', input: 'line' } },
    ['Options', 'Labels that the user sees, each with its value.'],
    ['选项', '左边是用户看到的文字，右边是它代表的值。'],
  ),
  required: field(
    { is: 'boolean' },
    ['Required', 'The dialogue continues until it is known. Yes if empty.'],
    ['必填', '没有得到就会继续追问。不填时视为“是”。'],
  ),
  default: field(
    { is: 'anything' },
    ['Default value', 'A parameter with a default is not asked for.'],
    ['默认值', '有默认值时不会追问。'],
  ),
}

export const multimodalDialogueAndInformationExtractor = defineKind({
  kind: 'multimodal_dialogue_and_information_extractor',
  nodeType: 'embody',
  group: 'talk',
  en: [
    'Information extractor',
    'Collects parameters in a dialogue, from the messages and files of the user.',
  ],
  zh: ['信息收集', '与用户对话，从其消息和文件中逐项收集所需的信息。'],
  fields: {
    parameters: field(
      objects(['name'], parameterFields, checkParameters),
      ['Parameters', 'The values to collect.'],
      ['要收集的信息', '对话要弄清楚的各项内容。'],
    ),
    instruction: field(
      paragraph,
      ['Instruction', 'How to conduct the dialogue.'],
      ['对话要求', '对话应当怎样进行。'],
    ),
    role: field(
      paragraph,
      ['Role', 'The role of the model in the dialogue.'],
      ['角色', '以什么身份和用户对话。'],
    ),
    model: modelField,
    max_turns: field(
      wholeNumber(1, maxTurns),
      ['Max turns', 'Gives up after this many replies from the user, 1 to 100; 10 if empty.'],
      ['最多轮数', '用户回答多少轮后放弃，1 到 100；不填时为 10。'],
    ),
  },
  initialData: { parameters: [{ name: 'name', type: 'string', description: '', required: true }] },
  waits: true,
  repeatsNodeId: 'id',
  required: ['parameters'],
  outputs: data => [...new Set([...readParameters(data).map(({ name }) => name), 'result', 'text'])],
  timeoutMilliseconds: 120_000,
  attempts: 3,
  run: takeTurn,
})

type Message = Pick<Reply, 'text' | 'files'>

interface Turn extends Task {
  before: DialogueState
  message: Message
  model: unknown
}

async function takeTurn(step: Step, data: JsonRecord, services: NodeServices): Promise<Outcome> {
  const parameters = readParameters(data)
  const task: Task = {
    parameters,
    role: step.text(readText(data, 'role')),
    instruction: step.text(readText(data, 'instruction')),
  }
  const before = readState(step.resumed?.state, parameters)
  const reply = step.resumed?.reply
  const message: Message = reply
    ? { text: reply.text || reply.action, files: reply.files }
    : { text: step.system.query, files: step.system.files }
  const sent = reply?.files ?? newFiles(step)
  const isEmpty = message.text.trim() === '' && sent.length === 0
  // A run that starts without a message asks first, which is not a turn of the user.
  const turns = before.turns + (isEmpty && !step.resumed ? 0 : 1)
  const turn = isEmpty
    ? { values: before.values, reply: '', text: '' }
    : await extract(step, services, { ...task, before, message, model: ownValue(data, 'model') })
  const missing = missingOf(parameters, turn.values)
  const [asked] = missing
  if (!asked) return { outputs: outputsOf(parameters, turn.values) }
  if (turns >= (readNumber(data, 'max_turns') ?? defaultTurns)) throw tooManyTurns(turns, missing)
  const question = questionFor(asked, turn.reply, turn.text, [task.instruction, task.role])
  const history = [
    ...before.history,
    ...entriesOf(message, isEmpty),
    { role: 'assistant', content: question } as const,
  ]
  const state: DialogueState = { values: turn.values, turns, history, asked: asked.name }
  const options = asked.options.map(({ label }) => label)
  return { wait: { question, ...(options.length > 0 && { options }), state: writeState(state) } }
}

const missingOf = (parameters: readonly Parameter[], values: ReadonlyMap<string, Value>): Parameter[] =>
  parameters.filter(each => each.required && !values.has(each.name) && each.default === undefined)

/** One model call per turn. The options and everything else the model must know are in the system message. */
async function extract(step: Step, services: NodeServices, turn: Turn) {
  const { parameters, before, message } = turn
  const missing = missingOf(parameters, before.values)
  const today = step.system.time.slice(0, 10)
  const instructions = turnInstructions({ ...turn, values: before.values, missing, today })
  const reader = new PromptFiles(step, services)
  const parts = await reader.message(message.text, message.files)
  const messages: ModelMessage[] = [
    { role: 'system', text: instructions },
    ...(await reader.history(recentTurns(before.history, maxTurns))),
    { role: 'user', parts },
  ]
  const answer = await askModel(step, {
    model: await findModel(step, services, turn.model),
    name: `turn-${before.turns + 1}`,
    request: { messages, jsonSchema: { name: 'turn', schema: turnSchema(parameters) } },
  })
  const parsed = readJsonAnswer(answer.text)
  const values = isJsonRecord(parsed) ? ownValue(parsed, 'values') : undefined
  const reply = isJsonRecord(parsed) ? ownValue(parsed, 'reply') : answer.text
  const extracted = isJsonRecord(values) ? values : {}
  const asked = before.asked ?? missing[0]?.name
  return {
    values: takeValues(parameters, before.values, { message: message.text, extracted, asked }),
    reply: typeof reply === 'string' ? reply : '',
    text: parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n'),
  }
}

function entriesOf({ text, files }: Message, isEmpty: boolean) {
  if (isEmpty) return []
  const names = files.map(({ name }) => `[${name}]`).join(' ')
  return [{ role: 'user', content: clipText(`${text} ${names}`.trim(), historyLength) } as const]
}

function outputsOf(parameters: readonly Parameter[], values: ReadonlyMap<string, Value>) {
  const all = parameters.map(each => [each.name, values.get(each.name) ?? each.default ?? null] as const)
  const text = all
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(' + ') : value}`)
    .join(', ')
  // In a text, a missing value must not appear as "null".
  const single = Object.fromEntries(all.map(([name, value]) => [name, value ?? '']))
  return { result: Object.fromEntries(all), text, ...single }
}

function tooManyTurns(turns: number, missing: readonly Parameter[]): StepFailure {
  const names = missing.map(({ name }) => JSON.stringify(name)).join(', ')
  return stepFailed(
    `After ${turns} ${turns === 1 ? 'turn' : 'turns'} these parameters are still missing: ${names}. Start again, or raise max_turns.`,
  )
}
