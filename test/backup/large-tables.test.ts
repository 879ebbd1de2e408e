import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { everything } from './everything.ts'
import { mustWork } from './fill.ts'
import { openPlace } from './place.ts'

test('a table is divided into entries of bounded size', async () => {
  const [source, target] = await Promise.all([openPlace(), openPlace()])
  try {
    const running = await source.serve({ first: true })
    for (let count = 0; count < 5; count++) {
      const workflow = { nodes: [], edges: [], note: `${count}`.repeat(2_000_000) }
      await mustWork(running.api.post('workflow/update', { id: `large-${count}`, workflow }))
    }
    const shown = await everything(running.api)
    await running.stop()
    const archive = join(source.config.dataDir, 'all.tar')
    const { rows } = await source.backup(archive)
    const names = execFileSync('tar', ['tf', archive], { encoding: 'utf8' }).split('\n')
    assert.deepEqual(
      names.filter(name => name.startsWith('tables/workflow_versions.')),
      [1, 2].map(piece => `tables/workflow_versions.${piece}.jsonl.gz`),
    )
    assert.deepEqual((await target.restore(archive)).rows, rows)
    const restored = await target.serve()
    assert.deepEqual(await everything(restored.api), shown)
    await restored.stop()
  } finally {
    await source.drop()
    await target.drop()
  }
})
