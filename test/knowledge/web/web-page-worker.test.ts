import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Leases } from '../../../src/cluster/leases.ts'
import { AppError } from '../../../src/kernel/app-error.ts'
import { type HeldPage, newPage } from '../../../src/knowledge/web/web-page.ts'
import { WebPageStore } from '../../../src/knowledge/web/web-page-store.ts'
import { WebPageWorker } from '../../../src/knowledge/web/web-page-worker.ts'
import { type OpenedWorld, openWorld } from '../../conformance/knowledge-world.ts'

const log = { warn: () => {}, info: () => {} }

describe('a site map that is deleted', () => {
  let opened: OpenedWorld
  let store: WebPageStore
  const given = { knowledgeId: 'k', refresh: 'daily', options: {}, createdAt: 1, dueAt: 1 }

  beforeEach(async () => {
    opened = await openWorld()
    await opened.world.makeBase('w', 'k')
    store = new WebPageStore(opened.world.database)
    const map = newPage({ ...given, id: 'map', kind: 'sitemap', url: 'https://x.example/map' })
    const pages = ['a', 'b'].map(id =>
      newPage({ ...given, id, kind: 'page', url: `https://x.example/${id}`, sitemapId: 'map' }),
    )
    await store.add('w', 'k', [map, ...pages], 10)
    for (const { id } of pages) await fetchPage(id)
  })
  afterEach(() => opened.cleanup())

  const held = (id: string) => ({ workspaceId: 'w', id, lease: `lease of ${id}` })

  /** Claims it as another process would. */
  async function fetchPage(id: string): Promise<void> {
    await store.queue('w', id, 0)
    const claim = { ...held(id), host: 'x.example', now: 0, until: 1e15, mayTakeOver: () => true }
    assert.equal((await store.claim(claim))?.id, id)
  }

  const finish = (id: string): Promise<boolean> =>
    store.finish(held(id), { status: 'ready', fileId: `file ${id}` }, () => undefined)

  /** Runs a worker until the site map is gone, and returns what it fetched. */
  async function runWorker(removed: (fileId: string) => Promise<void>): Promise<string[]> {
    // Pauses end at once: each look at the clock is a minute later.
    let now = 1_000_000
    const time = { now: () => (now += 60_000), refresh: async () => {}, reachableMilliseconds: 1e9 }
    const fetched: string[] = []
    const fetch = async (_: unknown, { url }: { url: string }) => void fetched.push(url)
    const parts = {
      ...{ store, log, clock: time, cluster: { subscribe: () => () => {} } },
      leases: new Leases({ rows: store.leases, cluster: { time, isAlone: true }, log, subject: 'web pages' }),
      ...{ pages: { run: fetch }, siteMaps: { run: fetch }, documents: { remove: async () => true } },
      files: { remove: (_: string, [fileId]: string[]) => removed(fileId!) },
    }
    await store.markDeleting('w', 'map', 1)
    const stop = new AbortController()
    const running = new WebPageWorker(parts as never).run(stop.signal)
    try {
      for (const end = performance.now() + 20_000; await store.find('w', 'k', 'map'); await sleep(20))
        assert.ok(performance.now() < end, 'it takes too long')
    } finally {
      stop.abort()
      await running
    }
    return fetched
  }

  test('stays so while the file store fails', async () => {
    assert.deepEqual([await finish('a'), await finish('b')], [true, true])
    const failures: Error[] = [new AppError('unavailable', 'no store'), new Error('a bug')]
    const fetched = await runWorker(async () => {
      const failure = failures.shift()
      if (failure) throw failure
    })
    assert.deepEqual([failures, fetched, await store.find('w', 'k', 'a')], [[], [], undefined])
  })

  test('leaves no document of a page that is being fetched', async () => {
    assert.ok(await finish('a'))
    const removed: string[] = []
    let isAdded: boolean | undefined
    await runWorker(async fileId => {
      removed.push(fileId)
      // Another process has just fetched the other page.
      isAdded ??= await finish('b')
    })
    assert.deepEqual([removed, isAdded], [['file a'], false])
  })
})

test('hosts of a workspace take turns, so that a page does not wait for two long site maps', async () => {
  const opened = await openWorld()
  try {
    await opened.world.makeBase('w', 'k')
    const store = new WebPageStore(opened.world.database)
    const given = { knowledgeId: 'k', kind: 'page', refresh: 'off', options: {}, createdAt: 1 } as const
    const pages = Array.from({ length: 10 }, (_, at) =>
      ['a', 'b'].map(host =>
        newPage({ ...given, id: `${host}${at}`, url: `https://${host}.example/${at}`, dueAt: 1 }),
      ),
    ).flat()
    await store.add(
      'w',
      'k',
      [...pages, newPage({ ...given, id: 'c', url: 'https://c.example/', dueAt: 2 })],
      50,
    )
    const fetched: string[] = []
    const done = Promise.withResolvers<void>()
    const run = async (held: HeldPage) => {
      fetched.push(held.id)
      await store.finish(held, { status: 'ready' }, () => undefined)
      if (fetched.length > pages.length) done.resolve()
    }
    const time = { now: () => 1_000_000, refresh: async () => {}, reachableMilliseconds: 1e9 }
    const parts = {
      ...{ store, log, clock: time, cluster: { subscribe: () => () => {} }, pages: { run } },
      leases: new Leases({ rows: store.leases, cluster: { time, isAlone: true }, log, subject: 'web pages' }),
    }
    const stop = new AbortController()
    const running = new WebPageWorker(parts as never).run(stop.signal)
    await done.promise
    stop.abort()
    await running
    assert.ok(fetched.indexOf('c') < 6, fetched.join(' '))
    assert.deepEqual([...fetched].sort(), [...pages.map(({ id }) => id), 'c'].sort())
  } finally {
    await opened.cleanup()
  }
})
