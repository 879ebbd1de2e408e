import {
  anyObject,
  array,
  boolean,
  choice,
  integerIn,
  named,
  optional,
  orNull,
  positionsField,
  shapesField,
  string,
  text,
} from './fields.ts'
import { graphField } from './graph-schema.ts'
import { type ImportNoteCode, importNotes } from './import-notes.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { idPattern } from './patterns.ts'
import { Type } from './schema.ts'
import { usersOf } from './used-by.ts'
import {
  finding,
  made,
  name,
  note,
  outline,
  published,
  saved,
  versionEntry,
  versionNumber,
  warnings,
  workflowEntry,
  workflowFields,
  workflowId,
} from './workflow-records.ts'

const node = (id: string, data: object) => ({ id, type: 'base', data })
const edge = (from: string, to: string) => ({
  source: { cell: from, port: `out.${from}` },
  target: { cell: to, port: `in.${to}` },
})
const answering = { prompt_template: 'Answer: {{#sys.query#}}', '数据源/API工具': [] }
const example = {
  id: 'wf_hello',
  workflow: {
    nodes: [
      node('input', { type: 'input', title: 'Question', desc: '' }),
      node('llm_1', { type: 'llm', title: 'Answer', desc: '', ...answering }),
      node('end', { type: 'end', title: 'End', desc: '' }),
    ],
    edges: [edge('input', 'llm_1'), edge('llm_1', 'end')],
  },
}

export const workflowOperations = defineOperations('workflow', {
  get: {
    method: 'GET',
    path: `${basePath}/workflow`,
    access: 'read',
    summary: 'Get a workflow',
    details:
      'An unknown id is not an error: `exist` is false. Send the ETag in If-None-Match to get 304 if nothing has changed, or in If-Match of an update.',
    query: Type.Object({ id: workflowId }),
    headers: { 'If-None-Match': 'ETag of your cached copy.' },
    data: Type.Object({
      exist: boolean('Whether the workflow exists.'),
      workflow: Type.Optional(
        named(
          'Workflow',
          Type.Object({ ...workflowFields, config: graphField('The graph, exactly as it was stored.') }),
        ),
      ),
    }),
  },
  update: {
    access: 'write',
    changes: { id: 'body.id', shows: ['name', 'version'] },
    summary: 'Replace the graph of a workflow, or create a workflow with this id',
    details:
      'With If-Match the update is a compare-and-swap: it fails with version_conflict if the workflow was changed in the meantime. Without it, the last write wins, and the previous graph stays in the history.',
    body: Type.Object({
      id: workflowId,
      workflow: graphField('The whole graph.'),
      ...optional({
        name,
        autosave: boolean(
          'Whether this is an automatic save: consecutive autosaves of one author are one version in the history.',
        ),
      }),
    }),
    bodyLimit: limits.graphBytes,
    bodyValues: limits.graphValues,
    creates: true,
    headers: {
      'If-Match':
        'ETag or version (such as "3") of the graph that you edited, or * for any existing version.',
      'If-None-Match': '* to store the graph only if the id does not exist yet.',
    },
    data: saved,
    example,
  },
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: ['name', 'version'] },
    summary: 'Create a workflow with a generated id',
    details: 'Send the graph in `workflow`, or its `nodes` and `edges` at the top level.',
    body: Type.Object(
      optional({
        workflow: graphField('The whole graph.'),
        nodes: array(Type.Unknown(), 'Instead of `workflow`.'),
        edges: array(Type.Unknown(), 'Instead of `workflow`.'),
        name,
      }),
    ),
    bodyLimit: limits.graphBytes,
    bodyValues: limits.graphValues,
    creates: true,
    data: made,
    example: { name: 'Hello', workflow: example.workflow },
  },
  list: {
    access: 'read',
    summary: 'List workflows, most recently updated first',
    body: Type.Object({
      ...optional({
        keyword: text('Part of the name or id.', [0, limits.nameLength]),
        published: boolean('Whether to list only workflows with a published version.'),
      }),
      ...pagingFields,
    }),
    data: pageOf(named('WorkflowSummary', Type.Object(workflowEntry))),
    example: { keyword: 'hello', page: 1, page_size: 20 },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id' },
    summary: 'Delete a workflow with its history',
    body: Type.Object({ id: workflowId }),
    data: Type.Object({}),
  },
  check: {
    access: 'read',
    summary: 'Validate a graph without storing or running it',
    details:
      'Send `id` to check the stored graph, or `workflow` to check a given one; with both, `workflow` is checked.',
    body: Type.Object(
      optional({
        id: workflowId,
        workflow: graphField('The graph to check.'),
        outline: boolean('Whether to include the outputs and cases of the nodes.'),
      }),
    ),
    bodyLimit: limits.graphBytes,
    bodyValues: limits.graphValues,
    data: Type.Object({
      runnable: boolean('Whether the workflow can run.'),
      errors: array(finding, 'Errors that an update would reject.', { example: [] }),
      warnings,
      outline: Type.Optional(outline),
    }),
    example: { id: 'wf_hello' },
  },
  versions: {
    method: 'GET',
    access: 'read',
    summary: 'List the versions of a workflow, newest first',
    query: Type.Object({ id: workflowId, ...pagingFields }),
    data: pageOf(named('WorkflowVersion', Type.Object(versionEntry))),
  },
  version: {
    method: 'GET',
    access: 'read',
    summary: 'Get a version of a workflow',
    query: Type.Object({ id: workflowId, version: versionNumber }),
    data: Type.Object({ id: workflowId, config: graphField('The graph of that version.'), ...versionEntry }),
  },
  rollback: {
    access: 'write',
    changes: { id: 'body.id', shows: ['version'] },
    summary: 'Restore an old graph as the newest version',
    headers: { 'If-Match': 'ETag or version of the current state.' },
    body: Type.Object({ id: workflowId, version: versionNumber }),
    creates: true,
    data: saved,
    example: { id: 'wf_hello', version: 1 },
  },
  publish: {
    access: 'write',
    changes: { id: 'body.id', shows: ['version', 'note', 'force_reason'] },
    summary: 'Publish a version of a workflow',
    details:
      'Agents, other workflows and runs without `version` use the published version from now on, and later edits are a draft. Fails with workflow_not_runnable and lists the problems if the version cannot run. A workflow that was never published runs its newest version.',
    body: Type.Object({
      id: workflowId,
      ...optional({
        version: integerIn('Version to publish; default: the newest.', [1, Number.MAX_SAFE_INTEGER]),
        note,
        force_reason: text(
          'Reason for publishing although a test set with `gate` refuse has not passed; written to the audit log.',
          [1, 300],
        ),
      }),
    }),
    data: Type.Object({
      ...published,
      warnings: array(Type.String(), 'Test sets of the workflow that have not passed with this version.', {
        example: [],
      }),
    }),
    example: { id: 'wf_hello', note: 'Shorter answers' },
  },
  unpublish: {
    access: 'write',
    changes: { id: 'body.id', shows: ['version'] },
    summary: 'Unpublish a workflow, so that its newest version runs',
    body: Type.Object({ id: workflowId }),
    data: Type.Object({}),
  },
  note: {
    access: 'write',
    changes: { id: 'body.id', shows: ['version', 'note'] },
    summary: 'Set the note of a version',
    details: 'A version with a note is kept. An empty note removes it.',
    body: Type.Object({ id: workflowId, version: versionNumber, note }),
    data: Type.Object({}),
    example: { id: 'wf_hello', version: 1, note: 'Before the new prompt' },
  },
  usedBy: {
    method: 'GET',
    path: `${basePath}/workflow/used_by`,
    access: 'read',
    summary: 'List the agents, workflows and triggers that use a workflow',
    details: `Agents, workflows (by their newest or published version) and triggers, up to ${limits.usersPerKind} of each kind. References whose id is computed by a template are not listed.`,
    query: Type.Object({ id: workflowId }),
    data: usersOf(['agent', 'workflow', 'trigger']),
  },
  export: {
    access: 'read',
    summary: 'Export a workflow as a portable document, without secrets',
    body: Type.Object({ id: workflowId, version: Type.Optional(versionNumber) }),
    data: Type.Object({
      document: Type.Object({
        format: Type.Literal('banyan.workflow'),
        format_version: Type.Literal(1),
        name,
        settings: Type.Object({}, { description: 'Empty for now.' }),
        workflow: graphField('The graph.'),
        layout: Type.Object(
          { positions: positionsField, shapes: shapesField },
          { description: 'The drawing of the graph.' },
        ),
      }),
    }),
  },
  import: {
    access: 'write',
    changes: { id: 'data.id', shows: ['name', 'version', 'format', 'agent_id'] },
    summary: 'Import a workflow or a Dify app',
    details:
      'Send the text of a file in `content`: an exported workflow, or an app that was exported from Dify (versions 0.1 to 0.6; workflow, advanced-chat, agent-chat and chat). Or send an exported document in `document`, or as the body itself. With `id`, the workflow is stored under that id, which must not exist. The nodes inside iterations and loops of an app become separate workflows, and a chat app also becomes an agent. A node that cannot be imported keeps its data and prevents the workflow from running until it is replaced; `report` lists every node.',
    body: Type.Object(
      optional({
        content: Type.String({ description: 'The text of a file.', maxLength: limits.graphBytes }),
        format: choice(['banyan.workflow', 'dify'], 'Format of `content`; detected if omitted.'),
        knowledge: Type.Unsafe<Record<string, string>>({
          type: 'object',
          maxProperties: limits.importKnowledge,
          additionalProperties: { type: 'string', pattern: idPattern },
          description: 'Ids of knowledge bases for the data sets of an app, by data set id.',
          examples: [{}],
        }),
        document: anyObject<object>('The exported document.'),
        workflow: graphField('The graph, if the document is the body itself.'),
        layout: anyObject<object>('The drawing of the graph, if the document is the body itself.'),
        name,
        id: workflowId,
      }),
    ),
    bodyLimit: limits.graphBytes,
    bodyValues: limits.graphValues,
    creates: true,
    data: named(
      'ImportedWorkflow',
      Type.Object({
        ...made.properties,
        agent_id: orNull(Type.String(), 'The agent that was created for a chat app, or null.', null),
        report: array(
          Type.Object({
            node_id: string(
              'Node of the new workflow; empty for the app itself, and for what is left out.',
              'llm_1',
            ),
            title: string('Title of the node.', 'Answer'),
            kind: string('Type of the node in the file.', 'llm'),
            state: choice(
              ['mapped', 'changed', 'unmapped'],
              'changed: something differs, see `message`. unmapped: it must be replaced before the workflow can run.',
            ),
            message: string('What differs and what to do; may be empty.', ''),
            notes: array(
              Type.Object({
                code: choice(Object.keys(importNotes) as ImportNoteCode[], 'Code of the sentence.', {
                  example: 'packages_left_out',
                }),
                values: anyObject<Record<string, string>>('Values in the sentence, by name.', {
                  packages: 'numpy',
                }),
              }),
              'The sentences of `message`, for clients that show their own texts.',
            ),
          }),
          'Every node of an imported app.',
          { example: [] },
        ),
      }),
    ),
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
})
