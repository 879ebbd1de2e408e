import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ask } from '../support/watch.ts'

describe('passages that users add', () => {
  let server: TestServer
  let api: ApiClient
  before(async () => {
    server = await startTestServer()
    api = server.api
  })
  after(() => server.stop())

  async function document() {
    const base = await makeBase(api, {
      embedding: null,
      chunking: { strategy: 'heading', size: 200, overlap: 0 },
    })
    const [file] = await addTexts(api, base, {
      'rules.md': '# Dogs\n\nDogs are welcome.\n\n# Cats\n\nCats too.',
    })
    return { base, file: file!, chunks: `knowledge/${base}/files/${file}/chunks` }
  }

  const contents = async (chunks: string): Promise<string[]> =>
    (await dataOf(api.get(chunks))).items.map((item: { content: string }) => item.content)

  const foundBy = async (base: string, query: string): Promise<string[]> =>
    (await ask(api, base, query)).items.map((item: { chunk_id: string }) => item.chunk_id)

  test('are found at once, edited, excluded and deleted', async () => {
    const { base, file, chunks } = await document()
    const added = await dataOf(api.post(`${chunks}/create`, { content: 'Parrots must be caged.' }))
    assert.deepEqual([added.manual, added.position, added.edited], [true, 2, false])
    assert.deepEqual(await foundBy(base, 'parrots'), [added.chunk_id])
    const second = await dataOf(api.post(`${chunks}/create`, { content: 'Hamsters stay at home.' }))
    const list = await dataOf(api.get(chunks))
    assert.deepEqual([list.total, list.items[3].chunk_id], [4, second.chunk_id])
    assert.equal((await dataOf(api.get(`knowledge/${base}`))).chunk_count, 4)
    const view = await dataOf(api.get(`knowledge/${base}/files/${file}/view?chunk_id=${second.chunk_id}`))
    assert.equal(view.items.at(-1).text, 'Hamsters stay at home.')

    const edited = await dataOf(
      api.post(`${chunks}/${added.chunk_id}/update`, { content: 'Canaries must be caged.' }),
    )
    assert.deepEqual([edited.chunk_id, edited.edited], [added.chunk_id, false])
    assert.deepEqual(await foundBy(base, 'canaries'), [added.chunk_id])
    assert.deepEqual(await foundBy(base, 'parrots'), [])
    await dataOf(api.post(`${chunks}/${second.chunk_id}/update`, { enabled: false }))
    assert.deepEqual(await foundBy(base, 'hamsters'), [])
    await dataOf(api.post(`${chunks}/${added.chunk_id}/delete`, {}))
    assert.deepEqual(await foundBy(base, 'canaries'), [])
    // The positions stay without gaps.
    const rest = await dataOf(api.get(chunks))
    assert.deepEqual(
      rest.items.map((item: { position: number }) => item.position),
      [0, 1, 2],
    )
    assert.equal(rest.total, 3)
  })

  test('are added and edited at the same time', async () => {
    const { chunks } = await document()
    const texts = ['Parrots', 'Canaries', 'Hamsters', 'Snakes', 'Turtles'].map(
      name => `${name} must be caged.`,
    )
    const added = await Promise.all(texts.map(content => dataOf(api.post(`${chunks}/create`, { content }))))
    assert.deepEqual((await contents(chunks)).slice(2).sort(), texts.toSorted())
    await Promise.all(
      added.map(({ chunk_id, content }) =>
        dataOf(api.post(`${chunks}/${chunk_id}/update`, { content: `${content} Really.` })),
      ),
    )
    const edited = (await contents(chunks)).slice(2)
    assert.deepEqual(edited.sort(), texts.map(text => `${text} Really.`).sort())
  })

  test('stay when the document is re-processed and when the base is re-indexed', async () => {
    const { base, file, chunks } = await document()
    const added = await dataOf(api.post(`${chunks}/create`, { content: 'Parrots must be caged.' }))
    await dataOf(api.post(`knowledge/${base}/rebind`, { file_ids: [file] }))
    await whenIngested(api, base)
    assert.deepEqual(await foundBy(base, 'parrots'), [added.chunk_id])
    await dataOf(api.post(`knowledge/${base}/update`, { chunking: { strategy: 'auto' } }))
    await whenIngested(api, base)
    const after = await contents(chunks)
    assert.deepEqual([after.length, after.at(-1)], [2, 'Parrots must be caged.'])
    assert.deepEqual(await foundBy(base, 'parrots'), [added.chunk_id])
    assert.equal((await dataOf(api.get(`knowledge/${base}`))).chunk_count, 2)
    await dataOf(api.post(`knowledge/${base}/files/${file}/delete`, {}))
    assert.deepEqual(await foundBy(base, 'parrots'), [])
    await dataOf(api.post(`knowledge/${base}`, { file_ids: [file] }))
    await whenIngested(api, base)
    assert.equal((await contents(chunks)).length, 1)
  })

  test('are refused where they cannot be', async () => {
    const { base, chunks } = await document()
    const { items } = await dataOf(api.get(chunks))
    assert.equal((await api.post(`${chunks}/create`, { content: ' ' })).status, 400)
    assert.equal((await api.post(`${chunks}/create`, { content: 'a'.repeat(10_001) })).status, 400)
    assert.equal((await api.post(`${chunks}/${items[0].chunk_id}/delete`, {})).status, 409)
    assert.equal((await api.post(`${chunks}/chunk_none_own/delete`, {})).status, 404)
    assert.equal((await api.post(`${chunks}/chunk_none_own/update`, { enabled: true })).status, 404)
    const none = `knowledge/${base}/files/file_none/chunks/create`
    assert.equal((await api.post(none, { content: 'Text.' })).status, 404)
  })
})
