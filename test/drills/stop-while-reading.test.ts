import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { spawnServer } from '../support/server-process.ts'
import { documentsOf, namesFound, until } from '../support/watch.ts'

const names = ['alder', 'birch', 'cedar', 'dogwood', 'elm', 'fir']
const longText = (name: string): string =>
  `${Array.from({ length: 700 }, (_, line) => `Line ${line} of ${name} tells of leaves and roots.`).join('\n\n')}\n\nThe end of ${name} is zebra${name}.`

const settings = (provider: ScriptedProvider): Record<string, string> => ({
  BOOTSTRAP_TOKEN: 'operator-token-of-the-drills',
  LOG_LEVEL: 'warn',
  EMBEDDING_BASE_URL: provider.baseUrl,
  EMBEDDING_MODEL: 'scripted',
})

interface ReadingRow {
  status: string
  interruptions: number
  retries: number
  lease: string | null
  batch_id: string | null
}

async function readingsIn(place: FreshDatabase): Promise<ReadingRow[]> {
  const database = await openDatabase(place)
  try {
    return await database.all<ReadingRow>(
      'SELECT status, interruptions, retries, lease, batch_id FROM readings',
    )
  } finally {
    await database.close()
  }
}

for (const [how, fault] of [
  ['slow', { slowMilliseconds: 400 }],
  ['silent', 'hang'],
] as const)
  test(`SIGTERM during ingestion while the provider is ${how}: documents wait for the next start`, async () => {
    const database = await migratedDatabase()
    const provider = await startScriptedProvider()
    try {
      provider.decide(() => fault)
      const first = await spawnServer(database, settings(provider))
      const base = await makeBase(first.api, { chunking: { size: 100, overlap: 0 } })
      const texts = names.map(name => ({ name: `${name}.txt`, content: longText(name) }))
      await dataOf(first.api.post(`knowledge/${base}`, { texts }))
      await until('a document being embedded', async () =>
        (await documentsOf(first.api, base)).some(document => document.status === 'embedding'),
      )
      assert.equal(await first.kill('SIGTERM'), 0)
      const left = await readingsIn(database)
      assert.equal(left.length, names.length)
      for (const reading of left.filter(({ status }) => status !== 'ready'))
        assert.deepEqual(
          { ...reading },
          { status: 'queued', interruptions: 0, retries: 0, lease: null, batch_id: null },
        )
      assert.ok(left.some(({ status }) => status === 'queued'))

      provider.decide(() => undefined)
      const second = await spawnServer(database, settings(provider))
      const record = await whenIngested(second.api, base)
      assert.deepEqual([record.document_count, record.failed_count], [names.length, 0])
      for (const { name, error } of await documentsOf(second.api, base)) {
        assert.equal(error, null)
        const word = `zebra${name.replace('.txt', '')}`
        assert.deepEqual(await namesFound(second.api, base, word, { mode: 'keyword' }), [name])
      }
      assert.equal(await second.kill('SIGTERM'), 0)
    } finally {
      await provider.close()
      await database.drop()
    }
  })
