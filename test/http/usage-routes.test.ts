import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { usageRoutes } from '../../src/http/routes/usage-routes.ts'
import type { UsageRange, UsageStore } from '../../src/workflow/run/store/usage-store.ts'
import { type RouteServer, startRouteServer } from '../support/route-server.ts'
import { unlimited } from '../support/unlimited.ts'

const now = Date.parse('2026-03-02T23:59:00Z')
const today = Math.floor(now / 86_400_000)
const counts = {
  runs: 3,
  failures: 1,
  promptTokens: 20,
  completionTokens: 5,
  cost: 0.1,
  activeMilliseconds: 900,
}
const onWire = { runs: 3, failures: 1, prompt_tokens: 20, completion_tokens: 5, cost: 0.1, elapsed_ms: 900 }
const requestedRanges: UsageRange[] = []

const store: Pick<UsageStore, keyof UsageStore> = {
  days: async (_, range) => {
    requestedRanges.push(range)
    return [
      { day: today - 2, ...counts },
      { day: today, ...counts },
    ]
  },
  byAgent: async () => Array.from({ length: 25 }, (_, at) => ({ agentId: `agent_${at}`, ...counts })),
  byWorkflow: async () => [{ workflowId: '', ...counts }],
}

let server: RouteServer
before(async () => {
  server = await startRouteServer(({ database }) =>
    usageRoutes(store, unlimited(database), { now: () => now }),
  )
})
after(() => server.stop())

describe('usage', () => {
  it('returns each of the last 30 days with totals by default', async () => {
    const { data } = (await server.api.get('usage')).json
    assert.deepEqual([data.from, data.to, data.days.length], ['2026-02-01', '2026-03-02', 30])
    assert.deepEqual(data.days.at(-3), { date: '2026-02-28', ...onWire })
    assert.deepEqual(data.days.at(-2), {
      date: '2026-03-01',
      runs: 0,
      failures: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cost: 0,
      elapsed_ms: 0,
    })
    assert.deepEqual(data.totals, {
      runs: 6,
      failures: 2,
      prompt_tokens: 40,
      completion_tokens: 10,
      cost: 0.2,
      elapsed_ms: 1800,
    })
    assert.equal(data.by_agent.length, 20)
    assert.deepEqual(data.by_agent[0], { agent_id: 'agent_0', ...onWire })
    assert.deepEqual(data.by_workflow, [{ workflow_id: '', ...onWire }])
  })

  it('filters by date range, agent and workflow', async () => {
    const query = 'from=2024-02-29&to=2024-03-01&agent_id=agent_1&workflow_id=wf_1'
    const { data } = (await server.api.get(`usage?${query}`)).json
    assert.deepEqual(
      data.days.map(({ date }: { date: string }) => date),
      ['2024-02-29', '2024-03-01'],
    )
    const { fromDay, toDay, ...rest } = requestedRanges.at(-1)!
    assert.equal(toDay - fromDay, 1)
    assert.deepEqual(rest, { agentId: 'agent_1', workflowId: 'wf_1' })
    assert.equal((await server.api.get('usage?from=2025-03-02')).json.data.days.length, 366)
  })

  it('rejects invalid dates and ranges that are reversed or too long', async () => {
    for (const [query, path] of [
      ['from=yesterday', '/from'],
      ['from=2026-02-30', '/from'],
      ['to=2025-02-29', '/to'],
      ['to=2026-1-1', '/to'],
      ['from=2026-03-03', '/from'],
      ['from=2025-03-01', '/from'],
      ['from=', '/from'],
      ['agent_id=a%20b', '/agent_id'],
    ] as const) {
      const { json } = await server.api.get(`usage?${query}`)
      assert.equal(json.code, 40001, query)
      assert.equal(json.data.errors[0].path, path, query)
    }
  })
})
