import Type, { type Static } from 'typebox'
import { graphField } from './graph-schema.ts'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const workflowId = id('Workflow id.', 'wf_hello')
const name = text({ maxLength: limits.nameLength, description: 'Display name.', examples: ['Hello'] })
const versionNumber = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Version of the graph.',
})

const warning = Type.Object({
  path: Type.String({ description: 'JSON pointer to the place.' }),
  rule: Type.String({ description: 'Name of the rule.' }),
  message: Type.String({ description: 'What to mend, in words.' }),
  blocking: Type.Boolean({ description: 'Whether the workflow cannot run until this is mended.' }),
})
const warnings = Type.Array(warning, {
  description: 'What keeps the stored draft from running, or deserves a look.',
  examples: [[]],
})
const finding = Type.Object({
  path: Type.String({ description: 'JSON pointer to the place.' }),
  message: Type.String({ description: 'What is wrong there.' }),
})

const names = (description: string) => Type.Union([Type.Array(Type.String()), Type.Null()], { description })
const nodeOutline = Type.Object({
  outputs: names('Names that other nodes can refer to; null: any name.'),
  cases: names('Cases that an edge which leaves it may name; null where it does not branch.'),
})
const outline = Type.Unsafe<Record<string, Static<typeof nodeOutline>>>({
  type: 'object',
  additionalProperties: nodeOutline,
  description: 'By the id of the node; nodes that cannot be read are left out.',
  examples: [{ llm_1: { outputs: ['text', 'result', 'citations', 'usage'], cases: null } }],
})

const saved = Type.Object({
  message: Type.Enum(['created', 'updated', 'unchanged'], { description: 'What became of it.' }),
  version: versionNumber,
  warnings,
})
const made = Type.Object({
  id: workflowId,
  version: versionNumber,
  message: Type.String({ examples: ['created'] }),
  warnings,
})

const versionEntry = {
  version: versionNumber,
  node_count: Type.Integer({ description: 'Nodes of the graph.', examples: [3] }),
  created_at: time('When this version was stored.'),
}

const example = {
  id: 'wf_hello',
  workflow: {
    nodes: [
      { id: 'input', type: 'base', data: { type: 'input', title: 'Question', desc: '' } },
      {
        id: 'llm_1',
        type: 'base',
        data: {
          type: 'llm',
          title: 'Answer',
          desc: '',
          prompt_template: 'Answer: {{#sys.query#}}',
          '数据源/API工具': [],
        },
      },
      { id: 'end', type: 'base', data: { type: 'end', title: 'End', desc: '' } },
    ],
    edges: [
      { source: { cell: 'input', port: 'out.input' }, target: { cell: 'llm_1', port: 'in.llm_1' } },
      { source: { cell: 'llm_1', port: 'out.llm_1' }, target: { cell: 'end', port: 'in.end' } },
    ],
  },
}

const common = { family: 'workflow' } as const

export const workflowOperations = {
  get: {
    ...common,
    name: 'workflow.get',
    method: 'GET',
    path: `${basePath}/workflow`,
    access: 'read',
    summary: 'Get a workflow',
    details:
      'An unknown id is no error: `exist` is then false. The ETag is the version; send it back in If-None-Match to get 304 while nothing changed.',
    query: Type.Object({ id: workflowId }),
    headers: { 'If-None-Match': 'ETag of the copy you have.' },
    data: Type.Object({
      exist: Type.Boolean({ description: 'Whether there is such a workflow.' }),
      workflow: Type.Optional(
        Type.Object({
          id: workflowId,
          config: graphField('The graph, exactly as it was written.'),
          created_at: time('Creation time.'),
          updated_at: time('Time of the last update.'),
          version: versionNumber,
          name,
        }),
      ),
    }),
  },
  update: {
    ...common,
    name: 'workflow.update',
    method: 'POST',
    path: `${basePath}/workflow/update`,
    access: 'write',
    summary: 'Replace the graph of a workflow, or make one with this id',
    details:
      'With If-Match the update is a compare-and-swap: it fails with version_conflict when somebody saved meanwhile. Without it the last write wins and the earlier graph stays in the history.',
    body: Type.Object({
      id: workflowId,
      workflow: graphField('The whole graph.'),
      name: Type.Optional(name),
    }),
    bodyLimit: limits.graphBytes,
    creates: true,
    headers: {
      'If-Match': 'ETag of the version you changed, or * for any existing one.',
      'If-None-Match': '* to store only if the id is new.',
    },
    data: saved,
    example,
  },
  create: {
    ...common,
    name: 'workflow.create',
    method: 'POST',
    path: `${basePath}/workflow/create`,
    access: 'write',
    summary: 'Store a new workflow under a fresh id',
    details: 'The graph may stand in `workflow`, or its `nodes` and `edges` at the top level.',
    body: Type.Object({
      workflow: Type.Optional(graphField('The whole graph.')),
      nodes: Type.Optional(Type.Array(Type.Unknown(), { description: 'Instead of `workflow`.' })),
      edges: Type.Optional(Type.Array(Type.Unknown(), { description: 'Instead of `workflow`.' })),
      name: Type.Optional(name),
    }),
    bodyLimit: limits.graphBytes,
    creates: true,
    data: made,
    example: { name: 'Hello', workflow: example.workflow },
  },
  list: {
    ...common,
    name: 'workflow.list',
    method: 'POST',
    path: `${basePath}/workflow/list`,
    access: 'read',
    summary: 'List workflows, the last changed first',
    body: Type.Object({
      keyword: Type.Optional(
        text({ maxLength: limits.nameLength, description: 'Part of the name or of the id.' }),
      ),
      ...pagingFields,
    }),
    data: pageOf(
      Type.Object({
        id: workflowId,
        name,
        version: versionNumber,
        node_count: Type.Integer({ description: 'Nodes of the graph.', examples: [3] }),
        created_at: time('Creation time.'),
        updated_at: time('Time of the last update.'),
      }),
    ),
    example: { keyword: 'hello', page: 1, page_size: 20 },
  },
  delete: {
    ...common,
    name: 'workflow.delete',
    method: 'POST',
    path: `${basePath}/workflow/delete`,
    access: 'write',
    summary: 'Delete a workflow with its history',
    body: Type.Object({ id: workflowId }),
    data: Type.Object({}),
    example: { id: 'wf_hello' },
  },
  check: {
    ...common,
    name: 'workflow.check',
    method: 'POST',
    path: `${basePath}/workflow/check`,
    access: 'read',
    summary: 'Check a stored or a given graph; stores nothing, runs nothing',
    details: 'Send `id` or `workflow`; with both, the given graph is checked.',
    body: Type.Object({
      id: Type.Optional(workflowId),
      workflow: Type.Optional(graphField('A graph to check instead of a stored one.')),
      outline: Type.Optional(
        Type.Boolean({ description: 'Whether to tell as well what the nodes give and how they branch.' }),
      ),
    }),
    bodyLimit: limits.graphBytes,
    data: Type.Object({
      runnable: Type.Boolean({ description: 'Whether it could run as it is.' }),
      errors: Type.Array(finding, { description: 'What an update would refuse.', examples: [[]] }),
      warnings,
      outline: Type.Optional(outline),
    }),
    example: { id: 'wf_hello' },
  },
  versions: {
    ...common,
    name: 'workflow.versions',
    method: 'GET',
    path: `${basePath}/workflow/versions`,
    access: 'read',
    summary: 'History of a workflow, newest first',
    query: Type.Object({ id: workflowId, ...pagingFields }),
    data: pageOf(Type.Object(versionEntry)),
  },
  version: {
    ...common,
    name: 'workflow.version',
    method: 'GET',
    path: `${basePath}/workflow/version`,
    access: 'read',
    summary: 'One old graph',
    query: Type.Object({ id: workflowId, version: versionNumber }),
    data: Type.Object({ id: workflowId, config: graphField('The graph of that version.'), ...versionEntry }),
  },
  rollback: {
    ...common,
    name: 'workflow.rollback',
    method: 'POST',
    path: `${basePath}/workflow/rollback`,
    access: 'write',
    summary: 'Make an old graph the newest version',
    headers: { 'If-Match': 'ETag of the version you looked at.' },
    body: Type.Object({ id: workflowId, version: versionNumber }),
    data: saved,
    example: { id: 'wf_hello', version: 1 },
  },
  export: {
    ...common,
    name: 'workflow.export',
    method: 'POST',
    path: `${basePath}/workflow/export`,
    access: 'read',
    summary: 'A portable document of a workflow, without secrets',
    body: Type.Object({ id: workflowId, version: Type.Optional(versionNumber) }),
    data: Type.Object({
      document: Type.Object({
        format: Type.Literal('banyan.workflow'),
        format_version: Type.Literal(1),
        name,
        settings: Type.Object({}, { description: 'Empty for now.' }),
        workflow: graphField('The graph.'),
      }),
    }),
    example: { id: 'wf_hello' },
  },
  import: {
    ...common,
    name: 'workflow.import',
    method: 'POST',
    path: `${basePath}/workflow/import`,
    access: 'write',
    summary: 'Store a portable document as a new workflow',
    details:
      'The document may stand in `document` or be the body itself. With `id` it is stored under that id, which must be free.',
    body: Type.Object({
      document: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'What export gave.' })),
      workflow: Type.Optional(graphField('The graph, where the document is the body itself.')),
      name: Type.Optional(name),
      id: Type.Optional(workflowId),
    }),
    bodyLimit: limits.graphBytes,
    creates: true,
    data: made,
    example: {
      document: {
        format: 'banyan.workflow',
        format_version: 1,
        name: 'Hello',
        settings: {},
        workflow: example.workflow,
      },
    },
  },
} as const satisfies Record<string, Operation>
