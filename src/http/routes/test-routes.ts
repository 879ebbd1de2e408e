import { limits } from '../../contract/limits.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import {
  testOperations as operations,
  testCaseRecord,
  testResultRecord,
  testRunRecord,
  testSetRecord,
} from '../../contract/test-operations.ts'
import type { TestCheck } from '../../evaluation/test-set.ts'
import type { ListedTestSet, TestSetService } from '../../evaluation/test-set-service.ts'
import { invalidField, refuseBlank } from '../../kernel/app-error.ts'
import type { Runs } from '../../workflow/run/run-service.ts'
import { type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'
import { inputsOnWire } from './run-routes.ts'

const setOnWire = wireWriter(testSetRecord)
const caseOnWire = wireWriter(testCaseRecord)
const runOnWire = wireWriter(testRunRecord)
const resultOnWire = wireWriter(testResultRecord)

const listedOnWire = ({ caseCount, lastRun, ...set }: ListedTestSet) => ({
  ...setOnWire(set),
  case_count: caseCount,
  last_run: lastRun ? runOnWire(lastRun) : null,
})

type SentCheck = { type: TestCheck['type']; value?: string; schema?: Record<string, unknown> }

const checkOf = ({ type, value, schema }: SentCheck, at: number): TestCheck => {
  if (type === 'json_schema') {
    if (!schema) throw invalidField(`/checks/${at}/schema`, 'is required')
    return { type, schema }
  }
  if (!value) throw invalidField(`/checks/${at}/value`, 'is required')
  return { type, value }
}

/** A check that expects the same answer as in a run. */
function expectedAnswer(answer = ''): TestCheck[] {
  if (answer.length > limits.testAnswerLength)
    throw invalidField(
      '/checks',
      `is required: the answer of the run has more than ${limits.testAnswerLength} characters, too many for a check`,
    )
  return answer === '' ? [] : [{ type: 'equals', value: answer }]
}

export function testRoutes(tests: TestSetService, runs: Pick<Runs, 'get'>): Route[] {
  return [
    route(operations.create, async ({ workspaceId, body, token }) => {
      const { name, workflow_id: workflowId = '', agent_id: agentId = '', gate = 'off' } = body
      return setOnWire(await tests.create(workspaceId, { name, workflowId, agentId, gate, by: token.name }))
    }),
    route(operations.update, async ({ workspaceId, body, token }) =>
      setOnWire(
        await tests.update(workspaceId, body.id, { name: body.name, gate: body.gate, by: token.name }),
      ),
    ),
    route(operations.delete, ({ workspaceId, body }) => tests.remove(workspaceId, body.id)),
    route(operations.list, ({ workspaceId, body }) => {
      const filter = {
        ...(body.workflow_id !== undefined && { workflowId: body.workflow_id }),
        ...(body.agent_id !== undefined && { agentId: body.agent_id }),
      }
      const list = (page: PageRequest) => tests.list(workspaceId, filter, page)
      return pageAnswer(body, list, listedOnWire)
    }),
    route(operations.get, async ({ workspaceId, body }) =>
      listedOnWire(await tests.find(workspaceId, body.id)),
    ),
    route(operations.cases, ({ workspaceId, body }) =>
      pageAnswer(body, page => tests.cases(workspaceId, body.id, page), caseOnWire),
    ),
    route(operations.saveCase, async ({ workspaceId, body }) => {
      refuseBlank(body.name)
      const run = body.run_id === undefined ? undefined : await runs.get(workspaceId, body.run_id)
      const inputs = body.inputs ?? (run && inputsOnWire(run.inputs))
      if (!inputs) throw invalidField('/inputs', 'is required, unless /run_id is given')
      const checks =
        body.checks?.map((check, at) => checkOf(check as SentCheck, at)) ?? expectedAnswer(run?.answer)
      const name = body.name ?? (run?.question || 'Case')
      return caseOnWire(
        await tests.saveCase(workspaceId, body.id, { id: body.case_id, name, inputs, checks }),
      )
    }),
    route(operations.importCases, async ({ workspaceId, body }) => ({
      added: await tests.importCases(workspaceId, body.id, body),
    })),
    route(operations.deleteCase, ({ workspaceId, body }) =>
      tests.removeCase(workspaceId, body.id, body.case_id),
    ),
    route(operations.run, async ({ workspaceId, body, token }) => {
      const { against = ['draft', 'published'] } = body
      return runOnWire(await tests.start(workspaceId, body.id, { against, by: token.name }))
    }),
    route(operations.runs, ({ workspaceId, body }) =>
      pageAnswer(body, page => tests.runs(workspaceId, body.id, page), runOnWire),
    ),
    route(operations.results, async ({ workspaceId, body }) => {
      const { run, results } = await tests.results(workspaceId, body.id)
      return { run: runOnWire(run), results: results.map(result => resultOnWire(result)) }
    }),
    route(operations.stop, ({ workspaceId, body }) => tests.stop(workspaceId, body.id)),
  ]
}
