import {
  anyObject,
  array,
  choice,
  id,
  integer,
  named,
  number,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { runId } from './run-records.ts'
import { Type } from './schema.ts'
import { workflowId } from './workflow-records.ts'

const setId = id('Test set id.', 'tset_Zk3xV0m2q1c5b7n9d1f3gA')
const caseId = id('Test case id.', 'tcase_Zk3xV0m2q1c5b7n9d1f3gA')
const testRunId = id('Test run id.', 'trun_Zk3xV0m2q1c5b7n9d1f3gA')
const agentId = id('Agent id.', 'agent_x')
const name = text('Name.', [1, limits.nameLength], { example: 'Frequent questions' })
const gate = choice(
  ['off', 'warn', 'refuse'],
  'Before a version of the workflow is published: `warn` returns warnings, `refuse` fails with tests_failed, while not all cases have passed with that version.',
  { default: 'off' },
)
const check = named(
  'TestCheck',
  Type.Object({
    type: choice(
      ['equals', 'contains', 'regex', 'json_schema', 'judge'],
      'How the answer is checked. `equals` ignores white space at both ends; `regex` is a JavaScript pattern; `judge` asks the default model whether the answer meets the criterion in `value`.',
    ),
    ...optional({
      value: text('Text, pattern or criterion.', [0, limits.testAnswerLength], { example: '20 days' }),
      schema: anyObject('JSON Schema of the answer, for `json_schema`.', { type: 'object' }),
    }),
  }),
)
const checks = array(check, 'All must pass. Without checks a case passes if the run succeeds.', {
  max: limits.testChecks,
  example: [{ type: 'contains', value: '20 days' }],
})
const inputs = anyObject('Inputs of the run, as in workflow.run.', { query: 'How many days of leave?' })

const variants = array(
  Type.Object({
    label: choice(
      ['draft', 'published', 'agent'],
      'What was tested: the draft, the published version, or the agent.',
    ),
    version: integer('Version of the workflow; 0 for an agent without a workflow.', 3),
  }),
  'What the cases ran with.',
)

export const testRunRecord = {
  id: testRunId,
  set_id: setId,
  status: choice(['queued', 'running', 'finished', 'stopped'], 'Status of the test run.'),
  versions: variants,
  total: integer('Number of results: cases times versions.', 4),
  passed: integer('Results that passed so far.', 3),
  started_by: string('Name of the token that started it.', 'Editor'),
  created_at: time('Start time.'),
  finished_at: orNull(time('End time.'), 'End time, or null.'),
}
const testRun = named('TestRun', Type.Object(testRunRecord))

export const testSetRecord = {
  id: setId,
  name,
  workflow_id: string('The workflow; empty for a set of an agent.'),
  agent_id: string('The agent; empty for a set of a workflow.'),
  gate,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  updated_by: string('Name of the token that last changed it.', 'Editor'),
}
const testSet = named('TestSet', Type.Object(testSetRecord))
const listedTestSet = named(
  'ListedTestSet',
  Type.Object({
    ...testSetRecord,
    case_count: integer('Number of cases.', 2),
    last_run: orNull(testRun, 'The last test run, or null.'),
  }),
)

export const testCaseRecord = {
  id: caseId,
  set_id: setId,
  name,
  inputs,
  checks,
  created_at: time('Creation time.'),
}
const testCase = named('TestCase', Type.Object(testCaseRecord))

export const testResultRecord = {
  case_id: caseId,
  name,
  label: choice(
    ['draft', 'published', 'agent'],
    'What was tested: the draft, the published version, or the agent.',
  ),
  version: integer('Version of the workflow.', 3),
  status: choice(['open', 'passed', 'failed', 'error', 'stopped'], '`error`: the case could not be run.'),
  message: string('Why it did not pass; empty if it did.'),
  run_id: runId,
  answer: string('Beginning of the answer.'),
  tokens: integer('Tokens of the run and of judgements.', 30),
  cost: number('By the prices of the models, in their currency.', 0.0004),
  elapsed_ms: integer('Run time in milliseconds.', 840),
  inputs,
  checks,
}

export const testOperations = defineOperations('test', {
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: ['name', 'workflow_id', 'agent_id', 'gate'] },
    summary: 'Create a test set of a workflow or an agent',
    details: 'The set is deleted with its workflow or agent.',
    body: Type.Object({ name, ...optional({ workflow_id: workflowId, agent_id: agentId, gate }) }),
    creates: true,
    data: testSet,
    example: { name: 'Frequent questions', workflow_id: 'wf_hello', gate: 'warn' },
  },
  update: {
    access: 'write',
    changes: { id: 'body.id', shows: ['name', 'gate'] },
    summary: 'Change a test set',
    body: Type.Object({ id: setId, ...optional({ name, gate }) }),
    data: testSet,
    example: { id: 'tset_Zk3xV0m2q1c5b7n9d1f3gA', gate: 'refuse' },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id' },
    summary: 'Delete a test set with its cases and results',
    body: Type.Object({ id: setId }),
    data: Type.Object({}),
  },
  list: {
    access: 'read',
    summary: 'List test sets, newest first, with their last results',
    body: Type.Object({ ...optional({ workflow_id: workflowId, agent_id: agentId }), ...pagingFields }),
    data: pageOf(listedTestSet),
    example: { workflow_id: 'wf_hello' },
  },
  get: {
    access: 'read',
    summary: 'Get a test set with its last result',
    body: Type.Object({ id: setId }),
    data: listedTestSet,
  },
  cases: {
    access: 'read',
    summary: 'List the cases of a test set, oldest first',
    body: Type.Object({ id: setId, ...pagingFields }),
    data: pageOf(testCase),
  },
  saveCase: {
    access: 'write',
    changes: { id: 'body.id', shows: ['case_id', 'name'] },
    summary: 'Add a case to a test set, or change one',
    details:
      'With `run_id`, the run becomes a case with its inputs, and with its answer as the expected answer unless `checks` are sent.',
    body: Type.Object({
      id: setId,
      ...optional({ case_id: caseId, run_id: runId, name, inputs, checks }),
    }),
    creates: true,
    data: testCase,
    example: {
      id: 'tset_Zk3xV0m2q1c5b7n9d1f3gA',
      name: 'Leave',
      inputs: { query: 'How many days of leave?' },
      checks: [{ type: 'contains', value: '20 days' }],
    },
  },
  importCases: {
    access: 'write',
    changes: { id: 'body.id', shows: ['format'] },
    bodyLimit: limits.messageBytes,
    summary: 'Import cases from a CSV or JSON lines text into a test set',
    details:
      'Fields: `question`, `expected`, `check` (default `contains`) and `name`; JSON lines also `inputs` and `checks`. Every other column is an input. All cases are added, or none.',
    body: Type.Object({
      id: setId,
      format: choice(['csv', 'jsonl'], 'Format of the text; CSV begins with a line of column names.'),
      content: text('The text.', [1, limits.importedTextLength], {
        example: 'question,expected\nHow many days of leave?,20 days\n',
      }),
    }),
    creates: true,
    data: Type.Object({ added: integer('Number of cases that were added.', 1) }),
  },
  deleteCase: {
    access: 'write',
    changes: { id: 'body.id', shows: ['case_id'] },
    summary: 'Delete a case of a test set',
    body: Type.Object({ id: setId, case_id: caseId }),
    data: Type.Object({}),
  },
  run: {
    access: 'write',
    summary: 'Run all cases of a test set with the draft, the published version, or both',
    details: `At most ${limits.testConcurrency} cases run at a time. The test run survives a crash of the server. The last ${limits.keptTestRuns} test runs of a set are kept.`,
    body: Type.Object({
      id: setId,
      ...optional({
        against: array(choice(['draft', 'published'], 'A version.'), 'Versions to test; default: both.', {
          min: 1,
          max: 2,
        }),
      }),
    }),
    creates: true,
    data: testRun,
    example: { id: 'tset_Zk3xV0m2q1c5b7n9d1f3gA', against: ['draft', 'published'] },
  },
  runs: {
    access: 'read',
    summary: 'List the test runs of a set, newest first',
    body: Type.Object({ id: setId, ...pagingFields }),
    data: pageOf(testRun),
  },
  results: {
    access: 'read',
    summary: 'Get a test run with the result of every case and version',
    body: Type.Object({ id: testRunId }),
    data: Type.Object({
      run: testRun,
      results: array(named('TestResult', Type.Object(testResultRecord)), 'In the order of the cases.'),
    }),
  },
  stop: {
    access: 'write',
    summary: 'Stop a test run',
    details: 'Existing results are kept. A test run that has ended is not changed.',
    body: Type.Object({ id: testRunId }),
    data: Type.Object({}),
  },
})
