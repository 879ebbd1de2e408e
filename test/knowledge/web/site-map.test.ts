import assert from 'node:assert/strict'
import test from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { readSiteMap } from '../../../src/knowledge/web/site-map.ts'

const read = (text: string) =>
  readSiteMap({
    status: 200,
    headers: {},
    url: 'https://example.com/s',
    bytes: new TextEncoder().encode(text),
  })

const addresses = Array.from({ length: 5000 }, (_, at) => `https://example.com/${'x'.repeat(at % 97)}/${at}`)

test('a long site map has each address once, wherever the pieces end', async () => {
  const entries = addresses.map(each => `<url><loc>${each}</loc></url>`).join('\n')
  assert.deepEqual(await read(`<urlset>${entries}</urlset>`), { isIndex: false, urls: addresses })
})

test('a text file with one address per line is read in pieces, too', async () => {
  const inside = 'https://example.com/?next=https://other.example/ and more'
  const lines = addresses.flatMap(each => [each, inside])
  assert.deepEqual((await read(lines.join('\n'))).urls, addresses)
})

test('more addresses than the limit are left out', async () => {
  const count = limits.webSiteMapEntries + 10
  const lines = Array.from({ length: count }, (_, at) => `https://e.com/${at}`)
  assert.equal((await read(lines.join('\n'))).urls.length, limits.webSiteMapEntries)
})
