import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { ApiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { chain, output } from '../support/run-graphs.ts'
import { makeWorkflow } from '../support/talk.ts'
import { startTestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'

const day = 86_400_000

describe('retention', () => {
  let fresh: FreshDatabase
  before(async () => {
    fresh = await migratedDatabase()
  })
  after(() => fresh.drop())

  /** Starts the server, which deletes what is too old, for the duration of the work. */
  async function serve<Result>(work: (api: ApiClient) => Promise<Result>): Promise<Result> {
    const settings = { EVENT_RETENTION_DAYS: '1', VERSION_RETENTION_DAYS: '2', DEMO: 'off' }
    const server = await startTestServer(settings, fresh)
    try {
      return await work(server.api)
    } finally {
      await server.stop()
    }
  }

  async function change(statement: string, ...parameters: number[]): Promise<void> {
    const database = await openDatabase(fresh)
    await database.transaction(transaction => transaction.run(statement, ...parameters))
    await database.close()
  }

  it('deletes old events and versions, and still answers for their runs and workflows', async () => {
    const said = chain(output('say', 'Hello'))
    const { id, runId } = await serve(async api => {
      const id = await makeWorkflow(api, said)
      const { json } = await api.post('workflow/run', { id, inputs: { query: 'x' } })
      for (let version = 2; version <= 110; version++)
        await api.post('workflow/update', { id, workflow: { ...said, version } })
      return { id, runId: json.data.run_id as string }
    })
    await change('UPDATE runs SET settled_at = settled_at - ?', 2 * day)
    await change('UPDATE workflow_versions SET created_at = created_at - ? WHERE version < 9', 3 * day)
    await serve(async api => {
      const versions = async () =>
        (await api.get(`workflow/versions?id=${id}&page=2&page_size=100`)).json.data.items
      await until('old versions are deleted', async () => (await versions()).length < 10)
      assert.deepEqual(
        (await versions()).map((item: { version: number }) => item.version),
        [10, 9, 1],
        'the run uses version 1, and the others are young',
      )
      assert.equal((await api.get(`workflow/version?id=${id}&version=5`)).status, 404)
      assert.equal((await api.get(`workflow/version?id=${id}&version=1`)).status, 200)

      const events = async () => (await api.get(`workflow/runs/${runId}/events`)).text
      await until('old events are deleted', async () => !(await events()).includes('data:'))
      const run = await api.get(`workflow/runs/${runId}`)
      assert.deepEqual([run.json.data.status, run.json.data.answer], ['succeeded', 'Hello'])
    })
  })
})
