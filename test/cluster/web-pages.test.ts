import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dataOf, makeBase } from '../support/knowledge.ts'
import { type ReplicaWorld, startReplicaWorld } from '../support/replica-world.ts'
import { type ScriptedSite, startScriptedSite } from '../support/scripted-site.ts'
import { until } from '../support/watch.ts'

const isPostgres = Boolean(process.env['TEST_DATABASE_URL'])

describe('replicas with web pages', { skip: !isPostgres && 'needs PostgreSQL: run with --postgres' }, () => {
  let world: ReplicaWorld
  let site: ScriptedSite
  before(async () => {
    site = await startScriptedSite()
    world = await startReplicaWorld()
  })
  after(async () => {
    await world?.stop()
    await site?.close()
  })

  test('fetch each page that is due once', async () => {
    const { api, connect } = world.replicas
    const id = await makeBase(api, { embedding: null })
    const paths = Array.from({ length: 6 }, (_, at) => `/page-${at}`)
    for (const path of paths) site.set(path, `<title>${path}</title><p>The text of ${path}.</p>`)
    const urls = paths.map(path => `${site.origin}${path}`)
    await dataOf(api.post(`knowledge/${id}/pages/create`, { urls }))
    const database = await connect()
    try {
      for (const round of [1, 2, 3]) {
        await until('all pages are fetched', async () => {
          const { items } = await dataOf(api.get(`knowledge/${id}/pages`))
          return items.every(({ status }: { status: string }) => status === 'ready')
        })
        assert.deepEqual(
          paths.map(path => site.count(path)),
          paths.map(() => round),
        )
        // As a schedule does it: due at the same moment for all replicas.
        await database.query("UPDATE web_pages SET status = 'queued', due_at = 1 WHERE kind = 'page'")
      }
    } finally {
      await database.end()
    }
  })
})
