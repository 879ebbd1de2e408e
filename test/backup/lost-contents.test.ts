import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { withAdapters } from '../../src/cli/command.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { everything } from './everything.ts'
import { openPlace, type Place } from './place.ts'

async function withTwo(
  work: (source: Place, target: Place, archive: string) => Promise<void>,
): Promise<void> {
  const [source, target] = await Promise.all([openPlace(), openPlace()])
  try {
    await work(source, target, join(source.config.dataDir, 'all.tar'))
  } finally {
    await source.drop()
    await target.drop()
  }
}

const namesIn = async (place: Place): Promise<string[]> => {
  const running = await place.serve()
  try {
    const { files } = await everything(running.api)
    assert.ok(files.every(file => file.status === 200 && file.isRight))
    return files.map(file => String((file as { name?: string }).name)).sort()
  } finally {
    await running.stop()
  }
}

test('omits a content that is deleted during the backup, with its files', () =>
  withTwo(async (source, target, archive) => {
    const running = await source.serve({ first: true })
    const { json } = await running.api.upload('a.txt', 'goes')
    const twin = await running.api.upload('b.txt', 'goes')
    await running.api.upload('c.txt', 'stays')
    const ids = [json.data.file_id, twin.json.data.file_id]

    await withAdapters(source.config, async ({ blobs }) => {
      let isFirst = true
      const summary = await source.backup(archive, {
        blobs: {
          read: async key => {
            if (isFirst) await running.api.post('files/delete', { file_ids: ids })
            isFirst = false
            return blobs.read(key)
          },
        },
      })
      assert.equal(summary.vanished.length, 1)
      assert.deepEqual(summary.damaged, [])
      assert.equal(summary.contents.count, 1)
    })
    await running.stop()

    assert.equal((await target.restore(archive)).filesLeftOut, 2)
    assert.deepEqual(await namesIn(target), ['c.txt'])
  }))

test('reports damaged contents and backs up the rest', () =>
  withTwo(async (source, target, archive) => {
    const damages = ['damaged c0ntent', 'damaged content and more', 'damaged', '']
    const running = await source.serve({ first: true })
    for (const number of damages.keys()) await running.api.upload('bad.txt', `damaged content ${number}`)
    const folder = join(source.config.dataDir, 'files/blobs')
    const paths = (await readdir(folder, { recursive: true })).filter(name => name.length > 30)
    for (const [at, damage] of damages.entries()) await writeFile(join(folder, paths[at]!), damage)
    for (const number of damages.keys()) await running.api.upload('good.txt', `good content ${number}`)
    await running.stop()

    const summary = await source.backup(archive)
    assert.deepEqual(summary.damaged.sort(), paths.map(path => path.split(/[\\/]/).at(-1)!).sort())
    assert.deepEqual(summary.vanished, [])
    assert.equal((await target.restore(archive)).filesLeftOut, damages.length)
    assert.deepEqual(
      await namesIn(target),
      damages.map(() => 'good.txt'),
    )
  }))

test('does not restore a document whose file is deleted during the backup', () =>
  withTwo(async (source, target, archive) => {
    const running = await source.serve({ first: true, atWork: true })
    const base = await makeBase(running.api, { embedding: null })
    const [gone] = await addTexts(running.api, base, { 'gone.txt': 'a secret recipe' })
    const [kept] = await addTexts(running.api, base, { 'kept.txt': 'a secret garden' })
    await withAdapters(source.config, async ({ blobs }) => {
      let isFirst = true
      const summary = await source.backup(archive, {
        blobs: {
          read: async key => {
            if (isFirst) await running.api.post('files/delete', { file_ids: [gone], force: true })
            isFirst = false
            return blobs.read(key)
          },
        },
      })
      assert.equal(summary.vanished.length, 1)
    })
    await running.stop()
    assert.equal((await target.restore(archive)).filesLeftOut, 1)
    const restored = await target.serve()
    try {
      const { items } = await dataOf(restored.api.post(`knowledge/${base}/search`, { query: 'secret' }))
      assert.deepEqual(
        items.map((item: { file_id: string }) => item.file_id),
        [kept],
      )
      const documents = await dataOf(restored.api.get(`knowledge/${base}/files`))
      assert.equal(documents.total, 1)
    } finally {
      await restored.stop()
    }
  }))
