import assert from 'node:assert/strict'
import test from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { atOnce } from '../../../src/kernel/slices.ts'
import { readSiteMap, selectedPages } from '../../../src/knowledge/web/site-map.ts'

const read = (text: string) =>
  readSiteMap({
    status: 200,
    headers: {},
    url: 'https://example.com/s',
    bytes: new TextEncoder().encode(text),
  })

const addresses = Array.from({ length: 5000 }, (_, at) => `https://example.com/${'x'.repeat(at % 97)}/${at}`)

test('a long site map has each address once, wherever the pieces end', async () => {
  const entries = addresses
    .map(each => `<url><loc>${each}</loc><image:image><image:loc>${each}.png</image:loc></image:image></url>`)
    .join('\n')
  const { isIndex, entries: found } = await read(`<urlset>${entries}</urlset>`)
  assert.equal(isIndex, false)
  assert.deepEqual(
    found.map(({ url }) => url),
    addresses,
  )
})

test('a text file with one address per line is read in pieces, too', async () => {
  const inside = 'https://example.com/?next=https://other.example/ and more'
  const lines = addresses.flatMap(each => [each, inside])
  assert.deepEqual(
    (await read(lines.join('\n'))).entries.map(({ url }) => url),
    addresses,
  )
})

test('more addresses than the limit are left out', async () => {
  const count = limits.webSiteMapEntries + 10
  const lines = Array.from({ length: count }, (_, at) => `https://e.com/${at}`)
  assert.equal((await read(lines.join('\n'))).entries.length, limits.webSiteMapEntries)
})

test('the last change of a page is read in any order of the fields', async () => {
  const { entries } = await read(
    `<urlset><url><loc>https://e.com/a</loc><lastmod> 2026-11-01 </lastmod></url>
     <url><lastmod><![CDATA[2026-11-02T10:00:00Z]]></lastmod><loc>https://e.com/b</loc></url>
     <url><lastmod>2026-11-03</lastmod></url><url><loc>https://e.com/c</loc></url></urlset>`,
  )
  assert.deepEqual(entries, [
    { url: 'https://e.com/a', lastmod: '2026-11-01' },
    { url: 'https://e.com/b', lastmod: '2026-11-02T10:00:00Z' },
    { url: 'https://e.com/c', lastmod: '' },
  ])
})

test('references to characters are resolved once, in any notation', async () => {
  const { entries } = await read(
    `<urlset><url><loc>https://e.com/?a=1&#x26;b=2&#38;c=3&amp;d=&#x1F389;&#128512;&amp;#38;&#x110000;</loc></url></urlset>`,
  )
  assert.equal(entries[0]!.url, 'https://e.com/?a=1&b=2&c=3&d=🎉😀&#38;&#x110000;')
})

test('pages are selected by their path in any spelling', () => {
  const entries = ['https://e.com/产品/a', 'https://e.com/%E4%BA%A7%E5%93%81/b', 'https://e.com/other'].map(
    url => ({ url, lastmod: '' }),
  )
  const select = (options: object) =>
    atOnce(selectedPages(entries, new URL('https://e.com/'), options)).map(({ url }) => url.pathname.at(-1))
  assert.deepEqual(select({ include: ['/产品/'] }), ['a', 'b'])
  assert.deepEqual(select({ exclude: ['/%e4%ba%a7品/'] }), ['r'])
})
