import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { newPage, type WebPage } from '../../src/knowledge/web/web-page.ts'
import { WebPageStore } from '../../src/knowledge/web/web-page-store.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld } from './knowledge-world.ts'

describe('web page store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  let store: WebPageStore
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    store = new WebPageStore(world.database)
    await world.makeBase('w', 'k')
  })
  afterEach(() => opened.cleanup())

  const pageOf = (id: string, more: Partial<WebPage> = {}): WebPage => {
    const url = `https://${id}.example/`
    return {
      ...newPage({
        ...{ id, knowledgeId: 'k', kind: 'page', url, refresh: 'off', options: {}, createdAt: 5, dueAt: 5 },
      }),
      ...more,
    }
  }
  const add = (...pages: WebPage[]) => store.add('w', 'k', pages, 4)
  const claim = (lease: string, now: number, more: { host?: string; may?: boolean } = {}) =>
    store.claim({
      ...{ workspaceId: 'w', host: more.host ?? 'a.example', lease, now, until: now + 10 },
      mayTakeOver: () => more.may ?? true,
    })
  const find = (id: string) => store.find('w', 'k', id)

  test('adds each address once, and none beyond the limit', async () => {
    assert.equal((await add(pageOf('a'), pageOf('b')))?.length, 2)
    assert.deepEqual(await add(pageOf('c', { url: 'https://a.example/' })), [])
    assert.equal(await add(pageOf('d'), pageOf('e'), pageOf('f')), 'too_many')
    const both = await Promise.all([add(pageOf('g'), pageOf('h')), add(pageOf('i'), pageOf('j'))])
    assert.equal(both.filter(each => each === 'too_many').length, 1)
    assert.equal(await store.find('other', 'k', 'a'), undefined)
    assert.equal(await store.find('w', 'other', 'a'), undefined)
  })

  test('adds nothing to a base that was deleted meanwhile', async () => {
    await world.bases.remove('w', 'k', 9)
    await world.sweepAll()
    assert.equal(await add(pageOf('a')), undefined)
    assert.deepEqual(await store.dueWorkspaces(10), [])
  })

  test('workspaces and hosts with something to fetch are found in turn, without those that are busy', async () => {
    for (const workspace of ['x', 'v']) {
      await world.makeBase(workspace, 'k')
      await store.add(workspace, 'k', [pageOf('a', { dueAt: workspace === 'v' ? 9 : 5 })], 4)
    }
    await add(
      pageOf('a'),
      pageOf('a2', { url: 'https://a.example/2', host: 'a.example' }),
      pageOf('b', { dueAt: 9 }),
      pageOf('c'),
    )
    assert.deepEqual(await store.dueWorkspaces(5), ['w', 'x'])
    assert.deepEqual(await store.dueWorkspaces(9), ['v', 'w', 'x'])
    const next = (after: string, now: number, ...exceptHosts: string[]) =>
      store.nextHost({ workspaceId: 'w', after, now, exceptHosts })
    assert.deepEqual(
      [await next('', 5), await next('a.example', 5), await next('a.example', 9), await next('c.example', 5)],
      ['a.example', 'c.example', 'b.example', 'a.example'],
    )
    assert.equal(await next('', 5, 'a.example'), 'c.example')
    assert.equal(await next('c.example', 5, 'a.example', 'c.example'), undefined)
    assert.equal(await next('', 4), undefined)
  })

  test('one process claims a page, and another one after its lease; the first can then change nothing', async () => {
    await add(pageOf('a'))
    assert.deepEqual(await store.dueWorkspaces(4), [])
    assert.deepEqual(await store.dueWorkspaces(5), ['w'])
    assert.equal(await claim('l0', 5, { host: 'b.example' }), undefined)
    const claims = await Promise.all([claim('l1', 5), claim('l2', 5)])
    const [held] = claims.filter(each => each !== undefined)
    assert.deepEqual([claims.filter(Boolean).length, held?.status, held?.id], [1, 'fetching', 'a'])
    const lease = claims[0] ? 'l1' : 'l2'
    assert.equal(await claim('l3', 15, { may: false }), undefined)
    assert.equal(await claim('l3', 15), undefined)
    assert.equal((await claim('l3', 10_000))?.id, 'a')
    const key = { workspaceId: 'w', id: 'a' }
    const never = () => undefined
    assert.equal(await store.finish({ ...key, lease }, { status: 'ready' }, never), false)
    await store.update('w', 'a', { refresh: 'daily', options: { maxPages: 3 } }, 99)
    const asked: string[] = []
    const done = await store.finish(
      { ...key, lease: 'l3' },
      { status: 'ready', options: { found: 7 } },
      refresh => {
        asked.push(refresh)
        return 20_000
      },
    )
    const page = await find('a')
    assert.deepEqual(
      [done, asked, page?.dueAt, page?.options, page?.status],
      [true, ['daily'], 20_000, { maxPages: 3, found: 7 }, 'ready'],
    )
    assert.equal(await store.nextDue(), 20_000)
  })

  test('a site map adds what is new, marks what is gone, and leaves out what was deleted', async () => {
    const map = pageOf('map', { kind: 'sitemap', url: 'https://x.example/map' })
    await add(map)
    const of = (id: string) => pageOf(id, { sitemapId: 'map', refresh: 'sitemap' })
    const reconcile = (pages: WebPage[]) =>
      store.reconcile('w', map, { pages, now: 50, max: 4, trustedAfter: 0 })
    assert.equal(await reconcile([of('a'), of('b'), of('c'), of('d')]), 1)
    assert.deepEqual((await store.countPages('w', ['map'])).get('map'), { queued: 3 })
    await store.exclude('w', 'a')
    assert.equal(await reconcile([of('a'), of('c')]), 0)
    const shown = await Promise.all(['a', 'b', 'c'].map(find))
    assert.deepEqual(
      shown.map(page => [page?.status, page?.listed]),
      [
        ['excluded', true],
        ['queued', false],
        ['queued', true],
      ],
    )
    await world.bases.remove('w', 'k', 60)
    assert.equal((await store.pagesOfDeletedBases(10)).length, 4)
  })

  test('pages that did not change by their site map are not fetched again, unless that was long ago', async () => {
    const map = pageOf('map', { kind: 'sitemap', url: 'https://x.example/map' })
    await add(map)
    const reconcile = (trustedAfter: number, changes: Record<string, object>) =>
      store.reconcile('w', map, {
        pages: Object.entries(changes).map(([id, options]) => pageOf(id, { sitemapId: 'map', options })),
        ...{ now: 50, max: 4, trustedAfter },
      })
    await reconcile(0, { a: { lastmod: '1', metadata: { k: 'v' } }, b: { lastmod: '1' }, c: {} })
    const fetchAll = async () => {
      for (const id of ['map', 'a', 'b', 'c'])
        if (await claim('l', 60, { host: `${id}.example` }))
          await store.finish(
            { workspaceId: 'w', id, lease: 'l' },
            { status: 'ready', fetchedAt: 70 },
            () => undefined,
          )
    }
    const statuses = async () => (await Promise.all(['a', 'b', 'c'].map(find))).map(page => page?.status)
    await fetchAll()
    await reconcile(60, { a: { lastmod: '1' }, b: { lastmod: '2', crawlDelay: 3 }, c: {} })
    assert.deepEqual(await statuses(), ['ready', 'queued', 'queued'])
    const options = (await Promise.all(['a', 'b'].map(find))).map(page => page?.options)
    assert.deepEqual(options, [
      { lastmod: '1', metadata: { k: 'v' } },
      { lastmod: '2', crawlDelay: 3 },
    ])
    assert.equal((await find('a'))?.dueAt, undefined)
    await fetchAll()
    await reconcile(70, { a: { lastmod: '1' }, b: { lastmod: '2' }, c: {} })
    assert.deepEqual(await statuses(), ['queued', 'queued', 'queued'])
  })
})
