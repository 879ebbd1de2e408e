import { array, choice, id, integer, named, number, orNull, string, time } from './fields.ts'
import { Type } from './schema.ts'

export const runId = id('Run id.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')

export const runStatus = choice(
  ['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped'],
  '`waiting`: the run asked the user a question and continues with workflow.resumeRun.',
)

export const tokenUsage = named(
  'TokenUsage',
  Type.Object(
    {
      prompt_tokens: Type.Integer({ examples: [21] }),
      completion_tokens: Type.Integer({ examples: [9] }),
      total_tokens: Type.Integer({ examples: [30] }),
    },
    { description: 'Tokens reported by models.' },
  ),
)

const failure = orNull(
  named(
    'RunError',
    Type.Object({
      reason: string('A reason from the error table.', 'model_failed'),
      message: string('What happened and what to do.'),
      node_id: orNull(Type.String(), 'The node that failed, or null.'),
    }),
  ),
  'Why it failed, or null.',
)

const waiting = orNull(
  named(
    'OpenQuestion',
    Type.Object({
      node_id: string('The node that asked.'),
      question: string('The question.'),
      options: array(Type.String(), 'Suggested answers; may be empty.'),
    }),
  ),
  'The question that the run waits for, or null.',
)

const outputs = orNull(
  Type.Unsafe<object>({ type: 'object' }),
  'Outputs of the run by name; null until it ends.',
)
const elapsed = integer('Run time in milliseconds, without the time spent waiting for the user.', 840)
const cost = number(
  'By the prices of the models, in their currency; models without prices count as 0.',
  0.0004,
)
const answer = string('The text sent to the user so far.', 'Hello!')

const version = integer('Version of the graph; 0 if the graph is not a stored workflow.', 1)

export const runMessage = named(
  'RunMessage',
  Type.Object({
    message_id: Type.String(),
    data_type: Type.String({ examples: ['text'] }),
    content: Type.String(),
    file_list: Type.Array(Type.String()),
    timestamp: integer('Milliseconds since 1970.'),
  }),
)

/** State of a run, as returned to the client that started it. */
export const runResult = {
  run_id: runId,
  version,
  status: runStatus,
  answer,
  outputs,
  usage: tokenUsage,
  elapsed_ms: elapsed,
  error: failure,
  waiting,
  messages: array(runMessage, 'Messages since the run was started or resumed; empty while it is running.'),
}

const texts = (description: string) => string(`${description}; empty if there is none.`)

export const runRecord = {
  run_id: runId,
  trigger: choice(
    ['run', 'chat', 'debug', 'schedule', 'webhook'],
    'What started the run: a program, a turn of a conversation, the test of one node, or a trigger.',
  ),
  trigger_id: texts('The trigger'),
  workflow_id: texts('The workflow'),
  version,
  skipped_version: orNull(
    Type.Integer(),
    'The newest version when the run started, if it could not run and an older one ran in its place; otherwise null.',
    null,
  ),
  agent_id: texts('The agent'),
  conversation_id: texts('The conversation'),
  user_id: texts('The user'),
  status: runStatus,
  question: string('Beginning of the question.', 'Hello'),
  rerun_of: texts('The run that this one repeats'),
  answer,
  error: failure,
  usage: tokenUsage,
  cost,
  step_count: integer('Number of executed nodes.', 3),
  elapsed_ms: elapsed,
  created_at: time('Start time.'),
  finished_at: orNull(time('End time.'), 'End time, or null.'),
}

export const nodeRecord = named(
  'RunNode',
  Type.Object({
    node_id: string('Node id.', 'llm_1'),
    path: string(
      'Node id; inside a nested workflow, prefixed by the ids of the nodes that lead there.',
      'llm_1',
    ),
    kind: Type.String({ examples: ['llm'] }),
    title: Type.String(),
    status: choice(
      ['running', 'waiting', 'succeeded', 'skipped', 'failed', 'stopped'],
      'Status of the node.',
    ),
    inputs: Type.Unsafe<unknown>({ description: 'Inputs of the node, or null.' }),
    outputs: Type.Unsafe<unknown>({ description: 'Outputs of the node, or null.' }),
    error: failure,
    attempts: integer('Number of attempts.', 1),
    tokens: tokenUsage,
    cost,
    started_at: time('Start time.'),
    finished_at: orNull(time('End time.'), 'End time, or null.'),
    elapsed_ms: orNull(Type.Integer(), 'Duration in milliseconds, or null.'),
  }),
)

export const runDetails = {
  ...runRecord,
  chat_id: texts('The turn'),
  inputs: Type.Unsafe<unknown>({ description: 'Inputs of the run.' }),
  outputs,
  waiting,
  nodes: array(nodeRecord, 'Nodes in the order they started.'),
}
