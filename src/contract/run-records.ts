import Type from 'typebox'
import { id, time } from './text.ts'

export const runId = id('Run id.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')

export const runStatus = Type.Enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'], {
  description: '`waiting`: it asks the user and goes on with resume.',
})

const orNull = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const usage = Type.Object(
  {
    prompt_tokens: Type.Integer({ examples: [21] }),
    completion_tokens: Type.Integer({ examples: [9] }),
    total_tokens: Type.Integer({ examples: [30] }),
  },
  { description: 'Tokens that models counted.' },
)

const failure = orNull(
  Type.Object({
    reason: Type.String({ description: 'A reason of the table of errors.', examples: ['model_failed'] }),
    message: Type.String({ description: 'What happened and what to do.' }),
    node_id: orNull(Type.String(), 'The node that failed, where it was one.'),
  }),
  'Why it failed, or null.',
)

const waiting = orNull(
  Type.Object({
    node_id: Type.String({ description: 'The node that asks.' }),
    question: Type.String({ description: 'What it asks.' }),
    options: Type.Array(Type.String(), { description: 'What can be chosen; may be empty.' }),
  }),
  'What it waits for, or null.',
)

const jsonObject = (description: string) => orNull(Type.Unsafe<object>({ type: 'object' }), description)

const outputs = jsonObject('What the run gathered at its end, by name; null before.')
const elapsed = Type.Integer({
  description: 'Milliseconds at work, without the time it waited for a person.',
  examples: [840],
})
const answer = Type.String({
  description: 'What it said to the user so far, or in the end.',
  examples: ['Hello!'],
})

/** How a run stands, as whoever started it gets to see it. */
export const runResult = {
  run_id: runId,
  status: runStatus,
  answer,
  outputs,
  usage,
  elapsed_ms: elapsed,
  error: failure,
  waiting,
  messages: Type.Array(
    Type.Object({
      message_id: Type.String(),
      data_type: Type.String({ examples: ['text'] }),
      content: Type.String(),
      file_list: Type.Array(Type.String()),
      timestamp: Type.Integer({ description: 'Milliseconds since 1970.' }),
    }),
    { description: 'What it said since it was started or resumed, one by one; empty while it still runs.' },
  ),
}

const texts = (description: string) =>
  Type.String({ description: `${description}; empty where there is none.` })

/** A run in the history. */
export const runRecord = {
  run_id: runId,
  trigger: Type.Enum(['run', 'chat', 'debug'], { description: 'What it was made by.' }),
  workflow_id: texts('The workflow that it runs'),
  version: Type.Integer({ description: 'Version of the graph; 0 for a graph of its own.', examples: [1] }),
  agent_id: texts('The agent that it works for'),
  conversation_id: texts('The conversation that it belongs to'),
  user_id: texts('The user that it works for'),
  status: runStatus,
  answer,
  error: failure,
  usage,
  step_count: Type.Integer({ description: 'Nodes that it ran.', examples: [3] }),
  elapsed_ms: elapsed,
  created_at: time('When it began.'),
  finished_at: orNull(time('When it ended.'), 'When it ended, or null.'),
}

export const nodeRecord = Type.Object({
  node_id: Type.String({ description: 'Id of the node.', examples: ['llm_1'] }),
  path: Type.String({
    description: 'The same; inside another workflow, the nodes on the way are named before it.',
    examples: ['llm_1'],
  }),
  kind: Type.String({ examples: ['llm'] }),
  title: Type.String(),
  status: Type.Enum(['running', 'waiting', 'succeeded', 'skipped', 'failed', 'stopped'], {
    description: 'How the node stands.',
  }),
  inputs: Type.Unsafe<unknown>({ description: 'What it was given, or null.' }),
  outputs: Type.Unsafe<unknown>({ description: 'What it gave, or null.' }),
  error: failure,
  attempts: Type.Integer({ description: 'How often it was tried.', examples: [1] }),
  tokens: usage,
  started_at: time('When it began.'),
  finished_at: orNull(time('When it ended.'), 'When it ended, or null.'),
  elapsed_ms: orNull(Type.Integer(), 'Milliseconds from its begin to its end, or null.'),
})

export const runDetails = {
  ...runRecord,
  chat_id: texts('The turn that it works for'),
  inputs: Type.Unsafe<unknown>({ description: 'What it was handed.' }),
  outputs,
  waiting,
  nodes: Type.Array(nodeRecord, { description: 'In the order they began.' }),
}
