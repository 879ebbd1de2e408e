import { flag, integer, json, optional, type RowOf, real, table, text } from '../database/table.ts'

/** Whether publishing a version warns, or is refused, while the set has not passed with it. */
export type Gate = 'off' | 'warn' | 'refuse'
export type TestCheck =
  | { type: 'equals' | 'contains' | 'regex' | 'judge'; value: string }
  | { type: 'json_schema'; schema: Record<string, unknown> }
type TestRunStatus = 'queued' | 'running' | 'finished' | 'stopped'
/** `error`: it could not be tested. */
type TestResultStatus = 'open' | 'passed' | 'failed' | 'error' | 'stopped'

export const testSets = table('test_sets', {
  workspaceId: text(),
  id: text(),
  name: text(),
  /** What it tests: one of the two is empty. */
  workflowId: text(),
  agentId: text(),
  gate: text<Gate>(),
  createdAt: integer(),
  updatedAt: integer(),
  updatedBy: text(),
})

export const testCases = table('test_cases', {
  workspaceId: text(),
  id: text(),
  setId: text(),
  name: text(),
  /** In the form of a request. */
  inputs: json<Record<string, unknown>>(),
  checks: json<readonly TestCheck[]>(),
  createdAt: integer(),
})

/** The version of the workflow that a case runs with; 0 for an agent, which runs as it is. */
export interface Variant {
  label: 'draft' | 'published' | 'agent'
  version: number
}

export const testRuns = table('test_runs', {
  workspaceId: text(),
  id: text(),
  setId: text(),
  status: text<TestRunStatus>(),
  versions: json<readonly Variant[]>(),
  total: integer(),
  passed: integer(),
  startedBy: text(),
  createdAt: integer(),
  finishedAt: optional(integer()),
  stopRequested: flag(),
  lease: optional(text()),
  dueAt: optional(integer()),
})

export const testResults = table('test_results', {
  workspaceId: text(),
  testRunId: text(),
  ordinal: integer(),
  caseId: text(),
  name: text(),
  label: text<Variant['label']>(),
  version: integer(),
  status: text<TestResultStatus>(),
  runId: text(),
  /** Why it did not pass. */
  message: text(),
  tokens: integer(),
  cost: real(),
  elapsedMs: integer(),
  inputs: json<Record<string, unknown>>(),
  checks: json<readonly TestCheck[]>(),
  /** How the answer begins. */
  answer: text(),
})

export type TestSet = Omit<RowOf<typeof testSets>, 'workspaceId'>
export type TestCase = Omit<RowOf<typeof testCases>, 'workspaceId'>
export type TestRun = Omit<RowOf<typeof testRuns>, 'workspaceId' | 'lease' | 'dueAt'>
export type TestResult = Omit<RowOf<typeof testResults>, 'workspaceId'>
