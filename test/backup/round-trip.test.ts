import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { addTexts, dataOf } from '../support/knowledge.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { everything } from './everything.ts'
import { fill, strangeGraph } from './fill.ts'
import { fillKnowledge, modelSettings } from './fill-knowledge.ts'
import { fillRuns } from './fill-runs.ts'
import { openPlace, type Place } from './place.ts'

describe('backup and restore', () => {
  let source: Place
  let archive: string
  let otherToken: string
  let shown: { mine: Awaited<ReturnType<typeof everything>>; theirs: unknown }
  let provider: ScriptedProvider

  before(async () => {
    provider = await startScriptedProvider()
    source = await openPlace(undefined, modelSettings(provider))
    archive = join(source.config.dataDir, 'all.tar')
    const filling = await source.serve({ first: true, atWork: true })
    ;({ otherToken } = await fill(filling.api))
    await fillKnowledge(filling.api, filling.api.as(otherToken))
    await filling.stop()
    await fillRuns(source.database)
    const running = await source.serve()
    shown = {
      mine: await everything(running.api),
      theirs: await everything(running.api.as(otherToken)),
    }
    assert.equal(shown.mine.secrets[0]?.['problem'], null)
    await source.backup(archive)
    assert.equal((await readFile(archive)).indexOf('canary-of-the-backups'), -1)
    await running.stop()
  })
  after(async () => {
    await source.drop()
    await provider.close()
  })

  const restored = async (work: (place: Place) => Promise<void>): Promise<void> => {
    const place = await openPlace(undefined, modelSettings(provider))
    try {
      await work(place)
    } finally {
      await place.drop()
    }
  }

  const showsTheSame = async (place: Place): Promise<void> => {
    const running = await place.serve()
    try {
      assert.deepEqual(await everything(running.api), shown.mine)
      assert.deepEqual(await everything(running.api.as(otherToken)), shown.theirs)
      assert.ok((await running.api.get('workflow?id=strange')).text.includes(strangeGraph.slice(1, -1)))
      const again = await running.api.post('workflow/update', {
        id: 'again',
        workflow: { nodes: [], edges: [] },
      })
      assert.equal(again.json.data.version, 2, 'a version number of a deleted workflow is not used again')
    } finally {
      await running.stop()
    }
  }

  test('restores everything into an empty installation, including its tokens', () =>
    restored(async place => {
      const { rows, contents, filesLeftOut, bootstrapToken } = await place.restore(archive)
      // The rows of the failed document may be swept already.
      const { batches, audit_queue: queued = 0, audit_entries: indexed = 0, ...others } = rows
      assert.equal(queued + indexed, 32, 'entries of the audit log')
      assert.ok(batches === 4 || batches === 5, `${batches} batches`)
      const filled = Object.entries(others).filter(([, count]) => count > 0)
      assert.deepEqual(Object.fromEntries(filled), {
        workspaces: 2,
        tokens: 4,
        workflows: 3,
        workflow_versions: 7,
        workflow_layouts: 1,
        deleted_workflows: 1,
        kept_versions: 1,
        runs: 2,
        run_steps: 4,
        run_effects: 2,
        run_events: 2,
        usage_days: 1,
        knowledge_bases: 2,
        generations: 2,
        readings: 4,
        documents: 4,
        document_values: 7,
        chunks: 5,
        segments: 4,
        segment_blocks: 4,
        vectors: 4,
        embeddings: 5,
        files: 9,
        blobs: 8,
        secrets: 2,
        triggers: 2,
        test_sets: 1,
        test_cases: 1,
      })
      assert.equal(contents.count, 8)
      assert.equal(filesLeftOut, 0)
      assert.equal(String(bootstrapToken), 'the-token-of-the-first-start\n')
      await showsTheSame(place)
    }))

  test('the compared data includes indexed, failed, corrected and disabled items, found by keyword and semantic search', () => {
    const [base] = shown.mine.knowledge
    const statuses = base!.documents.map(({ document }) => document['status']).sort()
    assert.deepEqual(statuses, ['failed', 'ready', 'ready'])
    const chunks = base!.documents.flatMap(each => each.chunks)
    assert.equal(chunks.filter(chunk => chunk['edited']).length, 1)
    assert.equal(chunks.filter(chunk => !chunk['enabled']).length, 1)
    for (const { query, mode, items, warning } of base!.answers) {
      assert.equal(warning, undefined)
      if (mode !== 'keyword' || query !== 'train') assert.ok(items.length > 0, `${query} by ${mode}`)
    }
    assert.ok(base!.answers[0].items[0].content.includes('thirty'))
  })

  test('a restored base supports adding, re-ingesting, correcting and searching documents', () =>
    restored(async place => {
      await place.restore(archive)
      const running = await place.serve({ atWork: true })
      try {
        const { api } = running
        const id = shown.mine.knowledge[0]!.base['knowledge_id'] as string
        const [file] = await addTexts(api, id, { 'new.txt': 'The canteen opens at noon.' })
        for (const mode of ['keyword', 'semantic']) {
          const { items } = await dataOf(api.post(`knowledge/${id}/search`, { query: 'canteen opens', mode }))
          assert.equal(items[0].file_id, file, mode)
        }
        const { accepted } = await dataOf(api.post(`knowledge/${id}/rebind`, {}))
        assert.equal(accepted.length, 1)
        await dataOf(api.post(`knowledge/${id}/delete`, {}))
        assert.equal((await api.get(`knowledge/${id}`)).status, 404)
        assert.deepEqual(
          (await everything(api.as(otherToken))).knowledge,
          (shown.theirs as typeof shown.mine).knowledge,
        )
      } finally {
        await running.stop()
      }
    }))

  test('restoring removes data created after the backup', () =>
    restored(async place => {
      await place.restore(archive)
      const running = await place.serve({ atWork: true })
      const id = shown.mine.knowledge[0]!.base['knowledge_id'] as string
      await addTexts(running.api, id, { 'later.txt': 'Twenty days of leave and a train, later.' })
      await everything(running.api)
      await running.stop()
      await place.restore(archive, { overwrite: true })
      await showsTheSame(place)
    }))

  test('treats an installation where a server was only started as empty', () =>
    restored(async place => {
      await (await place.serve({ first: true })).stop()
      await place.restore(archive)
      await showsTheSame(place)
    }))

  test('keeps existing data unless it is to be replaced', () =>
    restored(async place => {
      const running = await place.serve({ first: true })
      const graph = { id: 'own', workflow: { nodes: [], edges: [] } }
      await running.api.post('workflow/update', graph, { headers: { 'idempotency-key': 'once' } })
      await running.api.upload('own.txt', 'own')
      const own = await everything(running.api)
      await running.stop()

      await assert.rejects(place.restore(archive), /already has data/)
      const again = await place.serve()
      assert.deepEqual(await everything(again.api), own)
      await again.stop()

      await place.restore(archive, { overwrite: true })
      await showsTheSame(place)
    }))

  test('what users add to the first start is data, too', () =>
    restored(async place => {
      const running = await place.serve({ first: true })
      const tool = { name: 'weather', type: 'http', url: 'https://example.com/weather' }
      assert.equal((await running.api.post('tool/create', tool)).status, 200)
      await running.stop()
      await assert.rejects(place.restore(archive), /already has data/)
    }))

  test('a backup of a restored installation contains the same rows', () =>
    restored(async place => {
      await place.restore(archive)
      const { rows, contents } = await place.backup(join(place.config.dataDir, 'again.tar'))
      assert.deepEqual({ rows, contents }, { rows: rowsOf(archive), contents: contentsOf(archive) })
    }))

  test('tar can read the archive, and only its owner has access', async () => {
    const names = execFileSync('tar', ['tf', archive], { encoding: 'utf8' }).trim().split('\n')
    assert.equal(names[0], 'tables/workspaces.1.jsonl.gz')
    assert.equal(names.at(-1), 'manifest.json')
    assert.equal(names.filter(name => name.startsWith('blobs/')).length, 8)
    assert.equal((await stat(archive)).mode & 0o777, 0o600)
    assert.ok(!(await readdir(source.config.dataDir)).includes('all.tar.partial'))
  })

  test('does not overwrite an existing file, but the leftovers of a killed backup', async () => {
    const before = await readFile(archive)
    await assert.rejects(source.backup(archive), /already exists/)
    assert.deepEqual(await readFile(archive), before)
    const path = join(source.config.dataDir, 'second.tar')
    await writeFile(`${path}.partial`, 'half an archive', { mode: 0o644 })
    await source.backup(path)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    await restored(async place => {
      await place.restore(path)
      await showsTheSame(place)
    })
  })

  test('a failure leaves nothing in the folder of the archive or in the store', async () => {
    const path = join(source.config.dataDir, 'never.tar')
    const broken = {
      read: async () => {
        throw new AppError('unavailable', 'The file store cannot be used (EIO)')
      },
    }
    await assert.rejects(source.backup(path, { blobs: broken }), /EIO/)
    await assert.rejects(source.backup(path, {}, AbortSignal.abort(new Error('Interrupted'))), /Interrupted/)
    assert.deepEqual(
      (await readdir(source.config.dataDir)).filter(name => name.startsWith('never')),
      [],
    )
  })
})

const manifestOf = (archive: string) =>
  JSON.parse(execFileSync('tar', ['xOf', archive, 'manifest.json'], { encoding: 'utf8' }))

const contentsOf = (archive: string) => manifestOf(archive).contents

const rowsOf = (archive: string): Record<string, number> =>
  Object.fromEntries(
    (manifestOf(archive).entries as { name: string; rows?: number }[])
      .filter(entry => entry.rows !== undefined)
      .map(entry => [entry.name.replace(/tables\/(.*)\.1\.jsonl\.gz/, '$1'), entry.rows!]),
  )
