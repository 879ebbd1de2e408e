import type { TProperties } from 'typebox'
import { anyObject, array, boolean, integer, named, optional, orNull, string, time } from './fields.ts'
import { runMessage, runStatus, tokenUsage } from './run-records.ts'
import { Type } from './schema.ts'

const nodeId = string('The node, by its path.', 'llm_1')
const reason = string('A reason from the error table.', 'model_failed')
const message = string('What happened and what to do.')
const attempt = integer('Number of the attempt, from 1.', 1)
const elapsed = integer('Run time in milliseconds.', 840)
const failure = { reason, message }

/** `run.started` becomes RunStartedEvent, and `error` RunErrorEvent. */
const schemaName = (event: string): string =>
  `${(event.includes('.') ? event : `run.${event}`).replace(/(^|\.)(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}Event`

const eventOf = <Fields extends TProperties>(event: string, fields: Fields) =>
  named(
    schemaName(event),
    Type.Object({
      run_id: string('The run.', 'run_Zk3xV0m2q1c5b7n9d1f3gA'),
      seq: integer('Increasing number of the event; the `id` of the server-sent event.', 17),
      event: Type.Literal(event),
      at: time('When it happened.'),
      ...fields,
    }),
  )

/** The data of the events of a run, by name. docs/reference/events.md describes when they are sent. */
export const runEventSchemas = {
  'run.started': eventOf('run.started', {
    workflow_id: Type.String(),
    version: Type.Integer(),
    inputs: anyObject('Inputs of the run.'),
    skipped_version: Type.Optional(integer('The newest version, if it cannot run.')),
  }),
  'node.started': eventOf('node.started', {
    node_id: nodeId,
    kind: Type.String(),
    title: Type.String(),
    attempt,
  }),
  'node.delta': eventOf('node.delta', {
    node_id: nodeId,
    text: string('A piece of text.'),
    ...optional({
      reset: boolean('Whether the text of this node so far is discarded.'),
      message_id: string('The message to the user that it is part of.'),
    }),
  }),
  'node.progress': eventOf('node.progress', {
    node_id: nodeId,
    progress: Type.Number(),
    ...optional({ total: Type.Number(), message: Type.String() }),
  }),
  'node.tool': eventOf('node.tool', {
    node_id: nodeId,
    call: string('Names the call within the node.', '1-0'),
    tool: string('Name of the tool.', 'get_weather'),
    status: Type.Enum(['running', 'done', 'failed']),
    ...optional({
      arguments: Type.Unknown({ description: 'Arguments of the call.' }),
      result: string('Result of the call, or the error.', '22 °C'),
      elapsed_ms: elapsed,
    }),
  }),
  'node.finished': eventOf('node.finished', {
    node_id: nodeId,
    status: Type.String(),
    elapsed_ms: elapsed,
    ...optional({
      outputs: anyObject('Outputs of the node; omitted when large.'),
      usage: Type.Object({ prompt_tokens: Type.Integer(), completion_tokens: Type.Integer() }),
    }),
  }),
  'node.failed': eventOf('node.failed', { node_id: nodeId, ...failure, attempt, will_retry: Type.Boolean() }),
  'node.skipped': eventOf('node.skipped', { node_id: nodeId, kind: Type.String(), title: Type.String() }),
  message: eventOf('message', { ...runMessage.properties, node_id: nodeId }),
  'run.waiting': eventOf('run.waiting', {
    node_id: nodeId,
    question: Type.String(),
    options: array(Type.String(), 'Suggested answers.'),
    usage: Type.Optional(tokenUsage),
  }),
  'run.finished': eventOf('run.finished', {
    status: runStatus,
    answer: string('The text sent to the user.'),
    outputs: Type.Optional(Type.Unknown({ description: 'Outputs of the run; omitted when large.' })),
    usage: tokenUsage,
    elapsed_ms: elapsed,
    error: orNull(
      Type.Object({ ...failure, node_id: Type.Optional(Type.String()) }),
      'Why it failed, or null.',
    ),
  }),
  error: eventOf('error', { ...failure, node_id: Type.Optional(Type.String()) }),
}

export const runEventSchema = named('RunEvent', Type.Union(Object.values(runEventSchemas)))
