import Type from 'typebox'
import { id, time } from './text.ts'

export const runId = id('Run id.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')

export const runStatus = Type.Enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'], {
  description: '`waiting`: the run asked the user a question and continues with workflow.resumeRun.',
})

const orNull = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const usage = Type.Object(
  {
    prompt_tokens: Type.Integer({ examples: [21] }),
    completion_tokens: Type.Integer({ examples: [9] }),
    total_tokens: Type.Integer({ examples: [30] }),
  },
  { description: 'Tokens reported by models.' },
)

const failure = orNull(
  Type.Object({
    reason: Type.String({ description: 'A reason from the error table.', examples: ['model_failed'] }),
    message: Type.String({ description: 'What happened and what to do.' }),
    node_id: orNull(Type.String(), 'The node that failed, or null.'),
  }),
  'Why it failed, or null.',
)

const waiting = orNull(
  Type.Object({
    node_id: Type.String({ description: 'The node that asked.' }),
    question: Type.String({ description: 'The question.' }),
    options: Type.Array(Type.String(), { description: 'Suggested answers; may be empty.' }),
  }),
  'The question that the run waits for, or null.',
)

const jsonObject = (description: string) => orNull(Type.Unsafe<object>({ type: 'object' }), description)

const outputs = jsonObject('Outputs of the run by name; null until it ends.')
const elapsed = Type.Integer({
  description: 'Run time in milliseconds, without the time spent waiting for the user.',
  examples: [840],
})
const answer = Type.String({
  description: 'The text sent to the user so far.',
  examples: ['Hello!'],
})

/** State of a run, as returned to the client that started it. */
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
    { description: 'Messages since the run was started or resumed; empty while it is running.' },
  ),
}

const texts = (description: string) => Type.String({ description: `${description}; empty if there is none.` })

/** A run in the history. */
export const runRecord = {
  run_id: runId,
  trigger: Type.Enum(['run', 'chat', 'debug'], { description: 'What started the run.' }),
  workflow_id: texts('The workflow'),
  version: Type.Integer({
    description: 'Version of the graph; 0 if the graph is not a stored workflow.',
    examples: [1],
  }),
  agent_id: texts('The agent'),
  conversation_id: texts('The conversation'),
  user_id: texts('The user'),
  status: runStatus,
  answer,
  error: failure,
  usage,
  step_count: Type.Integer({ description: 'Number of executed nodes.', examples: [3] }),
  elapsed_ms: elapsed,
  created_at: time('Start time.'),
  finished_at: orNull(time('End time.'), 'End time, or null.'),
}

export const nodeRecord = Type.Object({
  node_id: Type.String({ description: 'Node id.', examples: ['llm_1'] }),
  path: Type.String({
    description: 'Node id; inside a nested workflow, prefixed by the ids of the nodes that lead there.',
    examples: ['llm_1'],
  }),
  kind: Type.String({ examples: ['llm'] }),
  title: Type.String(),
  status: Type.Enum(['running', 'waiting', 'succeeded', 'skipped', 'failed', 'stopped'], {
    description: 'Status of the node.',
  }),
  inputs: Type.Unsafe<unknown>({ description: 'Inputs of the node, or null.' }),
  outputs: Type.Unsafe<unknown>({ description: 'Outputs of the node, or null.' }),
  error: failure,
  attempts: Type.Integer({ description: 'Number of attempts.', examples: [1] }),
  tokens: usage,
  started_at: time('Start time.'),
  finished_at: orNull(time('End time.'), 'End time, or null.'),
  elapsed_ms: orNull(Type.Integer(), 'Duration in milliseconds, or null.'),
})

export const runDetails = {
  ...runRecord,
  chat_id: texts('The turn'),
  inputs: Type.Unsafe<unknown>({ description: 'Inputs of the run.' }),
  outputs,
  waiting,
  nodes: Type.Array(nodeRecord, { description: 'Nodes in the order they started.' }),
}
