import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { makeImage } from '../support/documents/make-scan.ts'
import { addTexts, dataOf, makeBase } from '../support/knowledge.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { documentsOf } from '../support/watch.ts'

const sentences = Array.from({ length: 300 }, (_, index) => `Sentence ${index} tells of day ${index}.`)

describe('the preview of chunks', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  const preview = (base: string, body: object) => api.post(`knowledge/${base}/preview`, body)

  test('shows the chunks that indexing would make, and stores nothing', async () => {
    const base = await makeBase(api, { chunking: { strategy: 'auto', size: 200, overlap: 0 } })
    const file = (await dataOf(api.upload('days.txt', sentences.join(' '), 'text/plain'))).file_id
    const first = await dataOf(preview(base, { file_id: file, max_chunks: 3 }))
    assert.deepEqual([first.name, first.complete, first.items.length], ['days.txt', false, 3])
    assert.deepEqual(first.chunking, { strategy: 'auto', size: 200, overlap: 0 })
    assert.ok(first.items.every((item: { tokens: number }) => item.tokens <= 200))
    const smaller = await dataOf(
      preview(base, { file_id: file, chunking: { size: 100, separators: ['. '] }, max_chunks: 200 }),
    )
    assert.equal(smaller.complete, true)
    assert.ok(smaller.items.every((item: { tokens: number }) => item.tokens <= 100))
    assert.deepEqual(await documentsOf(api, base), [])
    assert.equal((await dataOf(api.get(`knowledge/${base}`))).chunk_count, 0)

    await dataOf(
      api.post(`knowledge/${base}`, { file_ids: [file], chunking: { size: 100, separators: ['. '] } }),
    )
    await addTexts(api, base, { 'more.txt': 'More.' })
    const { items } = await dataOf(api.get(`knowledge/${base}/files/${file}/chunks?page_size=100`))
    const shown = ({ content, position, offsets, tokens }: Record<string, unknown>) => ({
      ...{ content, position, offsets, tokens },
    })
    assert.deepEqual(smaller.items.slice(0, 100).map(shown), items.map(shown))
  })

  test('works for a document of the base', async () => {
    const base = await makeBase(api)
    const [file] = await addTexts(api, base, { 'rules.md': '# A\n\nOne.\n\n# B\n\nTwo.' })
    const { items } = await dataOf(preview(base, { file_id: file, chunking: { strategy: 'heading' } }))
    assert.deepEqual(
      items.map((item: { heading: string[] }) => item.heading),
      [['A'], ['B']],
    )
  })

  test('reports invalid requests', async () => {
    const base = await makeBase(api)
    assert.equal((await preview(base, { file_id: 'file_none' })).status, 404)
    const file = (await dataOf(api.upload('a.txt', 'Text.', 'text/plain'))).file_id
    assert.equal((await preview('kb_none', { file_id: file })).status, 404)
    const wrong = await preview(base, { file_id: file, chunking: { size: 100, overlap: 501 } })
    assert.deepEqual([wrong.status, wrong.json.data.errors[0].path], [400, '/chunking/overlap'])
    const image = (await dataOf(api.upload('sign.png', makeImage(1), 'image/png'))).file_id
    const refused = await preview(base, { file_id: image })
    assert.equal(refused.status, 415)
    assert.match(refused.json.message, /does not recognise text in scans/)
    const program = (await dataOf(api.upload('a.exe', 'MZ\u0000\u0001', ''))).file_id
    assert.match((await preview(base, { file_id: program })).json.message, /a\.exe cannot be read/)
  })
})
