import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { makePdf } from '../support/documents/make-pdf.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask, documentsOf } from '../support/watch.ts'

const line = (text: string, y: number) => ({ text, at: { x: 100, y, width: 400 } })

describe('the view of a document', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  test('has the boxes of a passage on the page of a PDF', async () => {
    const base = await makeBase(api, { chunking: { strategy: 'paragraph', size: 512, overlap: 0 } })
    const pdf = await makePdf({
      pages: [
        [line('The first page says nothing about birds, but it is long enough to be read.', 100)],
        [line('Puffins return to the island in April.', 300)],
      ],
    })
    const file = (await dataOf(api.upload('birds.pdf', pdf, 'application/pdf'))).file_id
    await dataOf(api.post(`knowledge/${base}`, { file_ids: [file] }))
    await whenIngested(api, base)
    const [found] = (await ask(api, base, 'When do puffins return?')).items
    const address = `knowledge/${base}/files/${file}/view`
    const view = await dataOf(api.get(`${address}?chunk_id=${found.chunk_id}`))
    assert.equal(view.kind, 'pdf')
    assert.deepEqual([view.passage.chunk_id, view.passage.last_page], [found.chunk_id, 2])
    const shown = view.passage.pages.at(-1)
    assert.equal(shown.page, 2)
    assert.ok(Math.abs(shown.width - 595.3) < 1 && Math.abs(shown.height - 841.9) < 1)
    const [[left, top, right, bottom]] = shown.boxes
    assert.ok(Math.abs(left - 100) < 2 && right > 200 && right < 500, `${left} to ${right}`)
    assert.ok(top > 295 && top < 305 && bottom > top + 8 && bottom < 320, `${top} to ${bottom}`)
    assert.equal((await dataOf(api.get(address))).passage, null)
    assert.equal((await api.get(`${address}?chunk_id=chunk_none_0`)).status, 404)
    assert.equal((await api.get(`knowledge/${base}/files/file_none/view`)).status, 404)
  })

  test('has questions and answers as they are stored, also with more columns', async () => {
    const base = await makeBase(api, { chunking: { strategy: 'qa', size: 100, overlap: 0 } })
    const rows = ['Question,Answer,Category', 'How long?,Two years,Billing', 'Who pays?,We do,Sales']
    await addTexts(api, base, { 'faq.csv': rows.join('\n') })
    const [{ file_id }] = await documentsOf(api, base)
    const { items } = await dataOf(api.get(`knowledge/${base}/files/${file_id}/view`))
    assert.deepEqual(
      items.map((item: { text: string }) => item.text),
      ['How long?\nTwo years\nCategory: Billing', 'Who pays?\nWe do\nCategory: Sales'],
    )
  })

  test('has the text of other formats page by page, without what chunks repeat', async () => {
    const base = await makeBase(api, { chunking: { strategy: 'auto', size: 100, overlap: 40 } })
    const sentences = Array.from({ length: 60 }, (_, index) => `Sentence ${index} tells of day ${index}.`)
    await addTexts(api, base, { 'days.txt': sentences.join(' ') })
    const [{ file_id }] = await documentsOf(api, base)
    const address = `knowledge/${base}/files/${file_id}/view`
    const whole = await dataOf(api.get(`${address}?page_size=100`))
    assert.equal(whole.kind, 'text')
    assert.ok(whole.total > 3)
    const text = whole.items.map((item: { text: string }) => item.text).join(' ')
    assert.equal(text.replace(/\s+/g, ' '), sentences.join(' '))
    const last = whole.items.at(-1)
    const page = await dataOf(api.get(`${address}?page_size=2&chunk_id=${last.chunk_id}`))
    assert.equal(page.page, Math.ceil(whole.total / 2))
    assert.equal(page.items.at(-1).chunk_id, last.chunk_id)
    assert.deepEqual(page.passage.pages, [])
  })
})
