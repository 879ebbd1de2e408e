import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { type ScriptedSite, startScriptedSite } from '../support/scripted-site.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, documentsOf, until } from '../support/watch.ts'

type Data = ApiAnswer['json']

const page = (title: string, text: string, more = ''): string =>
  `<!doctype html><html><head><title>${title}</title>${more}</head><body><nav><a href="/">Home</a></nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`

describe('web pages', () => {
  let site: ScriptedSite
  let server: TestServer
  let api: ApiClient
  before(async () => {
    site = await startScriptedSite()
    server = await startTestServer({ DEMO: 'off', EGRESS_ALLOW: new URL(site.origin).host })
    api = server.api
  })
  after(async () => {
    await server.stop()
    await site.close()
  })

  const base = () => makeBase(api, { embedding: null })
  const at = (path: string): string => `${site.origin}${path}`
  const add = (id: string, body: object): Promise<Data> =>
    dataOf(api.post(`knowledge/${id}/pages/create`, body))
  const pageOf = (id: string, pageId: string): Promise<Data> =>
    dataOf(api.get(`knowledge/${id}/pages/${pageId}`))
  const change = (id: string, pageId: string, action: string, body: object = {}): Promise<Data> =>
    dataOf(api.post(`knowledge/${id}/pages/${pageId}/${action}`, body))
  const list = async (id: string, query = ''): Promise<Data[]> =>
    (await dataOf(api.get(`knowledge/${id}/pages?page_size=100${query}`))).items
  const settled = (id: string, pageId: string): Promise<Data> =>
    until('the page is fetched', async () => {
      const found = await pageOf(id, pageId)
      return (found.status === 'ready' || found.status === 'failed') && found
    })
  const added = async (id: string, path: string, more: object = {}): Promise<Data> => {
    const { items } = await add(id, { urls: [at(path)], ...more })
    return settled(id, items[0].page_id)
  }
  const refreshed = async (id: string, pageId: string): Promise<Data> => {
    await change(id, pageId, 'refresh')
    const found = await settled(id, pageId)
    await whenIngested(api, id)
    return found
  }
  const texts = async (id: string, query: string): Promise<string[]> =>
    (await ask(api, id, query)).items.map((item: Data) => item.content)

  test('become documents with their title, found and cited with their address', async () => {
    const id = await base()
    site.set('/leave', page('Leave of absence', 'Everybody has twenty days of leave.'))
    site.set('/guide.md', {
      headers: { 'content-type': 'text/plain' },
      body: '# Travel\n\nTrains are booked by the office.',
    })
    const body = { urls: [at('/leave#top'), at('/guide.md'), at('/leave')], metadata: { area: 'staff' } }
    const { items, skipped } = await add(id, body)
    assert.deepEqual(
      [items.map((item: Data) => [item.url, item.status, item.file_id]), skipped],
      [
        [
          [at('/leave'), 'queued', null],
          [at('/guide.md'), 'queued', null],
        ],
        [],
      ],
    )
    const done = await settled(id, items[0].page_id)
    assert.deepEqual(
      [done.status, done.title, done.error, done.next_fetch_at],
      ['ready', 'Leave of absence', null, null],
    )
    await settled(id, items[1].page_id)
    await whenIngested(api, id)
    const found = await ask(api, id, 'days of leave')
    assert.deepEqual(
      [found.items[0].file_id, found.items[0].source_url, found.items[0].file_name],
      [done.file_id, at('/leave'), 'Leave of absence.html'],
    )
    const documents = await documentsOf(api, id)
    assert.deepEqual(
      documents.map(({ name, source_url, metadata, status }) => [name, source_url, metadata, status]).sort(),
      [
        ['Leave of absence.html', at('/leave'), { area: 'staff' }, 'ready'],
        ['guide.md', at('/guide.md'), { area: 'staff' }, 'ready'],
      ],
    )
    const again = await add(id, { urls: [at('/leave')] })
    assert.deepEqual(again, { items: [], skipped: [{ url: at('/leave'), reason: 'already_added' }] })
    assert.deepEqual(
      (await list(id)).map(({ url }) => url),
      [at('/leave'), at('/guide.md')],
    )
    const view = await dataOf(api.get(`knowledge/${id}/files/${done.file_id}/view`))
    assert.equal(view.source_url, at('/leave'))
  })

  test('reads the encoding from the header, and the text without the menus', async () => {
    const id = await base()
    const big5 = Buffer.from('a4a4a4e5a4baa5e3a5bba4a7c0c9ae7b', 'hex')
    const body = Buffer.concat([
      Buffer.from('<title>'),
      big5,
      Buffer.from('</title><p>'),
      big5,
      Buffer.from('</p>'),
    ])
    site.set('/big5', { headers: { 'content-type': 'text/html; charset=big5' }, body })
    const done = await added(id, '/big5')
    assert.equal(done.title, new TextDecoder('big5').decode(big5))
    await whenIngested(api, id)
    assert.match((await texts(id, done.title))[0] ?? '', /中文/)
  })

  test('fail with a reason code, and are retried where that can help', async () => {
    const id = await base()
    site.set('/secret', { status: 403 })
    site.set('/gone', { status: 410 })
    site.set('/teapot', { status: 418 })
    site.set('/photo.png', { headers: { 'content-type': 'image/png' }, body: 'png' })
    site.set('/large', { body: Buffer.alloc((20 << 20) + 1, 'a') })
    site.set('/inside', { status: 302, headers: { location: 'http://169.254.169.254/latest' } })
    site.set('/loop', { status: 302, headers: { location: '/loop' } })
    site.set('/nothing', '')
    site.set('/drawn', '<html><title>App</title><body><script>draw()</script></body></html>')
    site.set('/busy', (_headers, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : page('Busy', 'Open again.'),
    )
    const codeOf = async (path: string): Promise<unknown> => (await added(id, path)).error?.code
    const paths = [
      '/missing',
      '/gone',
      '/secret',
      '/teapot',
      '/photo.png',
      '/large',
      '/inside',
      '/loop',
      '/nothing',
      '/drawn',
      '/busy',
    ]
    assert.deepEqual(await Promise.all(paths.map(codeOf)), [
      ...[
        'not_found',
        'not_found',
        'access_denied',
        'http_error',
        'unsupported_type',
        'too_large',
        'blocked',
      ],
      ...['bad_answer', 'unreadable', 'unreadable', undefined],
    ])
    assert.equal(site.count('/busy'), 2)
    assert.equal(site.count('/secret'), 1)
    assert.equal((await documentsOf(api, id)).length, 1)
    const private_ = await add(id, { urls: ['http://localhost:9/'] })
    const refused = await settled(id, private_.items[0].page_id)
    assert.deepEqual([refused.status, refused.error.code], ['failed', 'blocked'])
    assert.equal((await list(id, '&status=failed')).length, paths.length)
  })

  test('refuses an invalid address, schedule or prefix', async () => {
    const id = await base()
    const path = async (body: object): Promise<string> => {
      const answer = await api.post(`knowledge/${id}/pages/create`, body)
      assert.equal(answer.status, 400, answer.text)
      return answer.json.data.errors[0].path
    }
    const good = at('/leave')
    assert.equal(await path({}), '/urls')
    assert.equal(await path({ urls: [good, 'ftp://example.com/'] }), '/urls/1')
    assert.equal(await path({ urls: ['http://me:secret@example.com/'] }), '/urls/0')
    assert.equal(await path({ urls: [good], refresh: 'hourly' }), '/refresh')
    assert.equal(await path({ urls: [good], refresh: 'sitemap' }), '/refresh')
    assert.equal(await path({ urls: [good], timezone: 'Mars/Olympus' }), '/timezone')
    assert.equal(await path({ sitemap: { url: good, include: ['docs'] } }), '/sitemap/include/0')
    assert.equal((await api.get(`knowledge/${id}/pages/page_none`)).status, 404)
    assert.equal((await list(id)).length, 0)
  })

  test('are refreshed: unchanged ones are not indexed again, a changed one replaces the old text', async () => {
    const id = await base()
    const versions = [
      {
        body: page('News', 'The old office is in Bonn.', '<meta name=token content=1>'),
        headers: { etag: '"1"' },
      },
      {
        body: page('News', 'The old office is in Bonn.', '<meta name=token content=2>'),
        headers: { etag: '"2"' },
      },
      { body: page('Latest news', 'The new office is in Ulm.'), headers: { etag: '"3"' } },
    ]
    let version = 0
    site.set('/news', headers =>
      headers['if-none-match'] === versions[version]!.headers.etag ? { status: 304 } : versions[version]!,
    )
    const first = await added(id, '/news', { refresh: 'daily' })
    assert.ok(first.next_fetch_at > first.fetched_at)
    await whenIngested(api, id)
    const indexed = async () => (await documentsOf(api, id))[0]!
    const before = await indexed()
    const same = await refreshed(id, first.page_id)
    assert.deepEqual([same.status, same.changed_at], ['ready', first.changed_at])
    assert.notEqual(same.fetched_at, first.fetched_at)
    version = 1
    assert.equal((await refreshed(id, first.page_id)).changed_at, first.changed_at)
    assert.equal((await indexed()).indexed_at, before.indexed_at)
    version = 2
    const changed = await refreshed(id, first.page_id)
    assert.deepEqual([changed.title, changed.file_id], ['Latest news', first.file_id])
    assert.notEqual(changed.changed_at, first.changed_at)
    assert.match((await texts(id, 'office')).join(), /Ulm/)
    assert.deepEqual(await texts(id, 'Bonn'), [])
    assert.equal((await indexed()).name, 'Latest news.html')
    const stored = await api.get(`files/${first.file_id}`)
    assert.match(stored.text, /Ulm/)
    // It disappears, and later its text does.
    site.set('/news', { status: 404 })
    const gone = await refreshed(id, first.page_id)
    assert.deepEqual([gone.status, gone.error.code, gone.file_id], ['failed', 'not_found', first.file_id])
    assert.match((await texts(id, 'office')).join(), /Ulm/)
    site.set('/news', '<html><body><script>draw()</script></body></html>')
    assert.equal((await refreshed(id, first.page_id)).error.code, 'unreadable')
    assert.match((await texts(id, 'office')).join(), /Ulm/)
    const weekly = await change(id, first.page_id, 'update', { refresh: '0 3 * * *' })
    assert.match(weekly.next_fetch_at, /T03:00:00/)
    assert.equal((await change(id, first.page_id, 'update', { refresh: 'off' })).next_fetch_at, null)
  })

  test('are deleted with their document and file, and go with their base', async () => {
    const id = await base()
    site.set('/one', page('One', 'The first one.'))
    site.set('/two', page('Two', 'The second one.'))
    site.set('/three', page('Three', 'The third one.'))
    const [one, two, three] = await Promise.all(['/one', '/two', '/three'].map(path => added(id, path)))
    await whenIngested(api, id)
    await change(id, one.page_id, 'delete')
    assert.equal((await api.get(`files/${one.file_id}`)).status, 404)
    await dataOf(api.post(`knowledge/${id}/files/${two.file_id}/delete`, {}))
    assert.deepEqual(
      (await list(id)).map(({ title }) => title),
      ['Three'],
    )
    assert.deepEqual(
      (await documentsOf(api, id)).map(({ name }) => name),
      ['Three.html'],
    )
    await dataOf(api.post(`knowledge/${id}/delete`, {}))
    await until('the file is deleted', async () => (await api.get(`files/${three.file_id}`)).status === 404)
  })

  test('fail where the workspace has reached its limit of documents, and leave nothing behind', async () => {
    site.set('/full', page('Full', 'No room.'))
    const made = await dataOf(api.post('workspace/create', { name: 'Small' }))
    await dataOf(api.post('workspace/update', { id: made.id, limits: { documents: 1, storage_bytes: 500 } }))
    const small = api.as(made.token)
    const id = await makeBase(small, { embedding: null })
    await dataOf(small.post(`knowledge/${id}`, { texts: [{ name: 'a.txt', content: 'one' }] }))
    const { items } = await dataOf(small.post(`knowledge/${id}/pages/create`, { urls: [at('/full')] }))
    const failed = await until('the failure', async () => {
      const found = await dataOf(small.get(`knowledge/${id}/pages/${items[0].page_id}`))
      return found.status === 'failed' && found
    })
    assert.deepEqual([failed.error.code, failed.file_id], ['quota_exceeded', null])
    assert.match(failed.error.message, /1 documents/)
    assert.equal((await dataOf(small.post('files', {}))).total, 1)
    await dataOf(api.post('workspace/delete', { id: made.id }))
  })

  const siteMap = (paths: string[], more = ''): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map(path => `<url><loc>${at(path)}</loc></url>`).join('')}${more}</urlset>`
  const mapped = async (id: string, sitemap: object, more: object = {}): Promise<Data> => {
    const { items } = await add(id, { sitemap, ...more })
    return mapSettled(id, items[0].page_id)
  }
  const mapSettled = (id: string, pageId: string): Promise<Data> =>
    until('the site map is read', async () => {
      const found = await settled(id, pageId)
      return found.sitemap.pages.open === 0 && found
    })

  test('of a site map are added within its limits, found at a refresh, and marked when gone', async () => {
    const id = await base()
    for (const name of ['a', 'b', 'c', 'd'])
      site.set(`/docs/${name}`, page(`Doc ${name}`, `Text of ${name}.`))
    site.set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /docs/hidden',
    })
    const other = '<url><loc>https://other.example/docs/x</loc></url>'
    const paths = ['/docs/a', '/docs/b', '/docs/b#part', '/blog/1', '/docs/old/1', '/docs/hidden', '/docs/c']
    site.set('/sitemap.xml', siteMap(paths, other))
    const sitemap = { url: at('/sitemap.xml'), include: ['/docs/'], exclude: ['/docs/old/'], max_pages: 2 }
    const map = await mapped(id, sitemap, { refresh: 'weekly' })
    assert.deepEqual(map.sitemap, {
      ...{ max_pages: 2, include: ['/docs/'], exclude: ['/docs/old/'], found: 3 },
      pages: { total: 2, ready: 2, failed: 0, open: 0 },
    })
    const pages = () => list(id, `&sitemap_id=${map.page_id}`)
    assert.deepEqual(
      (await pages()).map(({ url, refresh }) => [url, refresh]),
      [
        [at('/docs/a'), 'sitemap'],
        [at('/docs/b'), 'sitemap'],
      ],
    )
    const [a, b] = await pages()
    assert.equal(
      (await api.post(`knowledge/${id}/pages/${a!.page_id}/update`, { refresh: 'daily' })).status,
      400,
    )
    // A page that a user deletes stays out; one that the map names no more stays in.
    await change(id, b!.page_id, 'delete')
    await change(id, map.page_id, 'update', { sitemap: { max_pages: 10 } })
    site.set('/sitemap.xml', siteMap(['/docs/b', '/docs/c', '/docs/d']))
    await change(id, map.page_id, 'refresh')
    const after = await mapSettled(id, map.page_id)
    assert.deepEqual(after.sitemap.pages, { total: 3, ready: 3, failed: 0, open: 0 })
    assert.deepEqual((await pages()).map(({ title, status, listed }) => [title, status, listed]).sort(), [
      ['Doc a', 'ready', false],
      ['Doc b', 'excluded', true],
      ['Doc c', 'ready', true],
      ['Doc d', 'ready', true],
    ])
    await whenIngested(api, id)
    await change(id, b!.page_id, 'refresh')
    await settled(id, b!.page_id)
    assert.equal((await documentsOf(api, id)).length, 4)
    await change(id, map.page_id, 'delete')
    await until('everything is deleted', async () => (await list(id)).length === 0)
    assert.deepEqual(await documentsOf(api, id), [])
  })

  test('of a site map that names their last change are fetched when it is another one', async () => {
    const id = await base()
    const entry = (path: string, lastmod: string) =>
      `<url><loc>${at(path)}</loc><lastmod>${lastmod}</lastmod></url>`
    for (const name of ['same', 'other']) site.set(`/dated/${name}`, page(name, `Text of ${name}.`))
    site.set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nCrawl-delay: 0.2',
    })
    const write = (other: string): void =>
      site.set(
        '/dated.xml',
        `<urlset>${entry('/dated/same', '2026-11-01')}${entry('/dated/other', other)}</urlset>`,
      )
    write('2026-11-01')
    const map = await mapped(
      id,
      { url: at('/dated.xml') },
      { refresh: '0 3 * * 1', timezone: 'Asia/Shanghai' },
    )
    // Three in the morning in Shanghai.
    assert.deepEqual([map.timezone, new Date(map.next_fetch_at).getUTCHours()], ['Asia/Shanghai', 19])
    assert.equal((await change(id, map.page_id, 'update', { timezone: 'UTC' })).timezone, 'UTC')
    assert.equal(new Date((await pageOf(id, map.page_id)).next_fetch_at).getUTCHours(), 3)
    write('2026-11-02')
    await change(id, map.page_id, 'refresh')
    await mapSettled(id, map.page_id)
    assert.deepEqual([site.count('/dated/same'), site.count('/dated/other')], [1, 2])
    site.set('/robots.txt', { status: 404 })
  })

  test('of an index of compressed site maps are found, and other files are no site map', async () => {
    const id = await base()
    site.set('/robots.txt', { status: 404 })
    site.set('/part/1', page('Part 1', 'One.'))
    site.set('/part/2', page('Part 2', 'Two.'))
    site.set('/maps/1.xml.gz', {
      headers: { 'content-type': 'application/gzip' },
      body: gzipSync(siteMap(['/part/1'])),
    })
    site.set('/maps/2.txt', { headers: { 'content-type': 'text/plain' }, body: `${at('/part/2')}\n` })
    const entries = ['/maps/1.xml.gz', '/maps/2.txt'].map(
      path => `<sitemap><loc><![CDATA[${at(path)}]]></loc></sitemap>`,
    )
    site.set('/index.xml', `<sitemapindex>${entries.join('')}</sitemapindex>`)
    const map = await mapped(id, { url: at('/index.xml') })
    assert.deepEqual([map.status, map.sitemap.pages.ready], ['ready', 2])
    site.set('/page', page('Page', 'No map.'))
    assert.equal((await mapped(id, { url: at('/page') })).error.code, 'not_a_sitemap')
    site.set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: banyanbot\nDisallow: /',
    })
    site.set('/closed.xml', siteMap(['/part/1']))
    assert.equal((await mapped(id, { url: at('/closed.xml') })).error.code, 'robots')
    assert.ok(site.peak() <= 2, `${site.peak()} requests at a time`)
  })
})
