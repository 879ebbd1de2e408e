import type { ModelMessage } from '../models/language-model.ts'
import { type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { type Outcome, type Step, StepFailure, waitForChildren } from '../workflow/step.ts'
import { findModel } from './find-model.ts'
import { findPassages, type Passage } from './find-passages.ts'
import { citationsOf } from './llm/citations.ts'
import { collectTools } from './llm/collect-tools.ts'
import { jsonProblems } from './llm/json-problems.ts'
import { answerSchema, settingGaps } from './llm/llm-settings.ts'
import { ModelTalk } from './llm/model-talk.ts'
import { recentTurns } from './llm/recent-turns.ts'
import { readSources, type Source, sourceGaps, sourcesField } from './llm/source.ts'
import { SpokenText } from './llm/spoken-text.ts'
import { systemText } from './llm/system-text.ts'
import { ChildWaits } from './llm/tool.ts'
import type { NodeServices } from './node-services.ts'
import { readJsonAnswer } from './read-json-answer.ts'
import { readNumber, readText } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'
import { userParts } from './user-parts.ts'

/** Asks the language model, with the knowledge and the tools that it may use. */
export const llm: NodeKind<NodeServices> = {
  kind: 'llm',
  nodeType: 'base',
  title: 'Language model',
  fields: {
    prompt_template: { is: 'template', input: 'paragraph' },
    // Entries have several forms (a knowledge id as a string, objects of several types).
    [sourcesField]: { is: 'list', of: { is: 'tree' } },
    model: { is: 'template', input: 'model' },
    temperature: { is: 'number' },
    max_tokens: { is: 'number' },
    system_prompt: { is: 'template', input: 'paragraph' },
    history_turns: { is: 'number' },
    json_schema: { is: 'dictionary', input: 'json' },
    attach_files: { is: 'boolean' },
  },
  required: ['prompt_template'],
  gaps: data => [...settingGaps(data), ...sourceGaps(data)],
  outputs: data => ['text', 'result', 'citations', 'usage', ...(answerSchema(data) ? ['object'] : [])],
  streams: ['text', 'result'],
  timeoutMilliseconds: 120_000,
  attempts: 3,
  run: runModel,
}

async function runModel(step: Step, data: JsonRecord, services: NodeServices): Promise<Outcome> {
  const spoken = new SpokenText(step)
  try {
    return await converse(step, data, services, spoken)
  } catch (error) {
    // Another attempt says everything again, also what comes from the journal.
    spoken.restart()
    if (error instanceof ChildWaits) return waitForChildren
    throw stepFailureOf(error)
  }
}

async function converse(
  step: Step,
  data: JsonRecord,
  services: NodeServices,
  spoken: SpokenText,
): Promise<Outcome> {
  const model = await findModel(step, services, ownValue(data, 'model'))
  const prompt = step.text(readText(data, 'prompt_template'))
  const sources = readSources(step, data)
  const passages = await passagesFor(step, services, sources, prompt)
  const tools = await collectTools(sources, step, services)
  const schema = answerSchema(data)
  const talk = new ModelTalk(step, {
    model,
    tools,
    spoken,
    settings: {
      temperature: readNumber(data, 'temperature'),
      maxTokens: readNumber(data, 'max_tokens'),
      jsonSchema: schema && { name: 'answer', schema },
    },
    messages: await firstMessages(step, data, services, { prompt, passages, hasTools: tools.length > 0 }),
  })
  const answer = await talk.answer()
  const object = schema && (await objectOf(answer, schema, talk))
  const { text } = spoken
  const citations = citationsOf(text, passages)
  return { outputs: { text, result: text, citations, usage: talk.usage, ...(schema && { object }) } }
}

/** Kept in the journal, so that citations are of the passages that the model has seen. */
async function passagesFor(
  step: Step,
  services: NodeServices,
  sources: readonly Source[],
  prompt: string,
): Promise<Passage[]> {
  const knowledgeIds = sources.flatMap(source => (source.type === 'knowledge' ? [source.id] : []))
  if (knowledgeIds.length === 0) return []
  const query = step.system.query.trim() === '' ? prompt : step.system.query
  return await step.once('passages', () => findPassages(step, services, { query, knowledgeIds }))
}

async function firstMessages(
  step: Step,
  data: JsonRecord,
  services: NodeServices,
  { prompt, passages, hasTools }: { prompt: string; passages: readonly Passage[]; hasTools: boolean },
): Promise<ModelMessage[]> {
  const files = ownValue(data, 'attach_files') === false ? [] : step.system.files
  const system = systemText(
    step.text(readText(data, 'system_prompt')),
    passages,
    hasTools || files.length > 0,
  )
  return [
    ...(system === '' ? [] : [{ role: 'system', text: system } as const]),
    ...recentTurns(step.system.history, readNumber(data, 'history_turns') ?? 0),
    { role: 'user', parts: await userParts(step, services, prompt, files) },
  ]
}

/** The answer as an object of the schema; a model that missed it gets one more chance. */
async function objectOf(answer: string, schema: JsonRecord, talk: ModelTalk): Promise<unknown> {
  const first = readJsonAnswer(answer)
  const problems = problemsOf(first, schema)
  if (problems === '') return first
  const second = readJsonAnswer(
    await talk.correct(`Your answer does not fit: ${problems}. Answer again with nothing but the JSON.`),
  )
  const left = problemsOf(second, schema)
  if (left === '') return second
  const message = `The model did not keep to json_schema: ${left}. Use a model that can, or simplify the schema.`
  throw new StepFailure('step_failed', message)
}

const problemsOf = (value: unknown, schema: JsonRecord): string =>
  value === undefined ? 'it is not JSON, or nested too deeply' : jsonProblems(value, schema).join('; ')
