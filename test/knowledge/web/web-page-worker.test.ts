import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Leases } from '../../../src/cluster/leases.ts'
import { AppError } from '../../../src/kernel/app-error.ts'
import { newPage } from '../../../src/knowledge/web/web-page.ts'
import { WebPageStore } from '../../../src/knowledge/web/web-page-store.ts'
import { WebPageWorker } from '../../../src/knowledge/web/web-page-worker.ts'
import { openWorld } from '../../conformance/knowledge-world.ts'

const log = { warn: () => {}, info: () => {} }

test('a site map that is deleted stays so while the file store fails', async () => {
  const { world, cleanup } = await openWorld()
  try {
    await world.makeBase('w', 'k')
    const store = new WebPageStore(world.database)
    const given = { knowledgeId: 'k', refresh: 'daily', options: {}, createdAt: 1, dueAt: 1 }
    const map = newPage({ ...given, id: 'map', kind: 'sitemap', url: 'https://x.example/map' })
    const page = newPage({ ...given, id: 'page', kind: 'page', url: 'https://x.example/', sitemapId: 'map' })
    await store.add('w', 'k', [map, { ...page, status: 'ready', fileId: 'f', dueAt: undefined }], 10)
    await store.markDeleting('w', 'map', 1)

    // Pauses end at once: each look at the clock is a minute later.
    let now = 1_000_000
    const time = { now: () => (now += 60_000), refresh: async () => {}, reachableMilliseconds: 1e9 }
    const failures: Error[] = [new AppError('unavailable', 'no store'), new Error('a bug')]
    const fetched: string[] = []
    const fetch = async (_: unknown, { url }: { url: string }) => void fetched.push(url)
    const parts = {
      ...{ store, log, clock: time, cluster: { subscribe: () => () => {} } },
      leases: new Leases({ rows: store.leases, time, isAlone: true, log, what: 'web pages' }),
      ...{ pages: { run: fetch }, siteMaps: { run: fetch }, documents: { remove: async () => true } },
      files: {
        remove: async () => {
          const failure = failures.shift()
          if (failure) throw failure
        },
      },
    }
    const stop = new AbortController()
    const running = new WebPageWorker(parts as never).run(stop.signal)
    try {
      for (const end = performance.now() + 20_000; await store.find('w', 'k', 'map'); await sleep(20))
        assert.ok(performance.now() < end, 'it takes too long')
    } finally {
      stop.abort()
      await running
    }
    assert.deepEqual([failures, fetched, await store.find('w', 'k', 'page')], [[], [], undefined])
  } finally {
    await cleanup()
  }
})
