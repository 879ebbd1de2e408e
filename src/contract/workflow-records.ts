import type { Static } from 'typebox'
import {
  array,
  boolean,
  choice,
  id,
  integer,
  integerIn,
  named,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const workflowId = id('Workflow id.', 'wf_hello')
export const name = text('Display name.', [0, limits.nameLength], { example: 'Hello' })
export const versionNumber = integerIn('Version of the graph.', [1, Number.MAX_SAFE_INTEGER])

const warning = named(
  'GraphWarning',
  Type.Object({
    path: string('JSON pointer to the problem.'),
    rule: string('Name of the violated rule.'),
    message: string('What to fix.'),
    blocking: boolean('Whether the workflow cannot run until this is fixed.'),
  }),
)
export const warnings = array(
  warning,
  'Problems of the stored graph; blocking ones prevent it from running.',
  {
    example: [],
  },
)
export const finding = named(
  'Finding',
  Type.Object({ path: warning.properties.path, message: string('What is wrong.') }),
)

const names = (description: string) => orNull(Type.Array(Type.String()), description)
const nodeOutline = named(
  'NodeOutline',
  Type.Object({
    outputs: names('Outputs that other nodes can refer to; null: any name.'),
    cases: names('Cases for outgoing edges; null if the node does not branch.'),
    ...optional({
      environment: array(Type.String(), 'Names of the environment values that the node declares.'),
      memory: array(Type.String(), 'Names of the memory values that the node declares.'),
    }),
  }),
)
export const outline = Type.Unsafe<Record<string, Static<typeof nodeOutline>>>({
  type: 'object',
  additionalProperties: nodeOutline,
  description: 'Outputs and cases by node id; invalid nodes are omitted.',
  examples: [{ llm_1: { outputs: ['text', 'result', 'citations', 'usage'], cases: null } }],
})

export const saved = named(
  'SavedWorkflow',
  Type.Object({
    message: choice(['created', 'updated', 'unchanged'], 'Result of the update.'),
    version: versionNumber,
    warnings,
  }),
)
export const made = named(
  'CreatedWorkflow',
  Type.Object({
    id: workflowId,
    version: versionNumber,
    message: Type.String({ examples: ['created'] }),
    warnings,
  }),
)

export const note = text('Note about the version.', [0, limits.noteLength], { example: 'Shorter answers' })
export const published = {
  published_version: orNull(
    Type.Integer(),
    'The version that agents, other workflows and runs without `version` use; null: the newest.',
    2,
  ),
  published_at: orNull(time('Time of the publication.'), 'Time of the publication, or null.'),
}

export const versionEntry = {
  version: versionNumber,
  node_count: integer('Number of nodes.', 3),
  created_at: time('Time when this version was stored.'),
  author: string('Name of the token that stored it; empty if unknown.', 'Editor'),
  note,
  restored_from: orNull(Type.Integer(), 'The version whose graph was restored as this one, or null.', null),
  published_at: orNull(time('Time.'), 'Time of its last publication, or null.'),
  runnable: boolean('Whether it could run when it was stored.'),
}

export const workflowFields = {
  id: workflowId,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last update.'),
  version: versionNumber,
  name,
  ...published,
}
export const workflowEntry = { ...workflowFields, node_count: versionEntry.node_count }
