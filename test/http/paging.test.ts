import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { operations } from '../../src/contract/operations.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer({ SECRET_KEY: 'a key for the secrets of these tests' })
})
after(() => server.stop())

const graph = { nodes: [], edges: [] }

/** All pages of a list, by cursor. */
async function readAll(path: string, field: string, more: object = {}): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | undefined, number = 1; ; number++) {
    const { status, json } = await server.api.post(path, { ...more, page_size: 2, ...(cursor && { cursor }) })
    assert.equal(status, 200, json.message)
    assert.equal(json.data.page, number)
    assert.equal(json.data.total_capped, false)
    for (const item of json.data.items) found.push(item[field])
    if (json.data.next_cursor === null) return found
    cursor = json.data.next_cursor
  }
}

describe('paging', () => {
  it('reads lists by cursor, with or without a keyword', async () => {
    for (let number = 0; number < 5; number++) {
      await server.api.post('workflow/create', { name: `list ${number}`, workflow: graph })
      await server.api.post('secret/set', { name: `secret_${number}`, value: 'a long enough value' })
      const settings = { base_url: 'https://models.example/v1', model: 'm' }
      await server.api.post('model/create', { name: `model ${number}`, ...settings })
    }
    const names = ['list 4', 'list 3', 'list 2', 'list 1', 'list 0']
    assert.deepEqual(await readAll('workflow/list', 'name', { keyword: 'LIST' }), names)
    assert.deepEqual((await readAll('workflow/list', 'name')).slice(0, 5), names)
    assert.deepEqual(
      await readAll('secret/list', 'name'),
      [0, 1, 2, 3, 4].map(number => `secret_${number}`),
    )
    assert.equal(new Set(await readAll('model/list', 'name')).size, 5)
  })

  it('refuses a cursor that no list gave, in every list', async () => {
    const hasCursor = (schema: unknown): boolean =>
      Object.hasOwn((schema as { properties?: object } | undefined)?.properties ?? {}, 'cursor')
    const lists = operations.filter(({ body, query }) => hasCursor(body) || hasCursor(query))
    const { data: base } = (await server.api.post('knowledge/create', { name: 'paging' })).json
    const workflow = (await server.api.post('workflow/create', { workflow: graph })).json.data
    const text = { texts: [{ name: 'a.txt', content: 'Some text' }] }
    const added = (await server.api.post(`knowledge/${base.knowledge_id}`, text)).json.data.items[0]
    assert.ok(lists.length >= 13, `only ${lists.length} lists have a cursor`)
    const schedule = {
      kind: 'schedule',
      name: 'a',
      workflow_id: workflow.id,
      schedule: { cron: '0 0 1 1 *' },
    }
    const trigger = (await server.api.post('trigger/create', schedule)).json.data
    const agent = (await server.api.post('agent/create', { name: 'a' })).json.data
    const set = (await server.api.post('test/create', { name: 'a', workflow_id: workflow.id })).json.data
    for (const { method, path } of lists) {
      const url = path.replace('{knowledge_id}', base.knowledge_id).replace('{file_id}', added.file_id)
      const needed = path.endsWith('/versions') ? `&id=${workflow.id}` : ''
      const answer =
        method === 'GET'
          ? await server.api.get(`${url}?cursor=x${needed}`)
          : await server.api.call(method, url, {
              cursor: 'x',
              ...(path.endsWith('/trigger/runs') && { id: trigger.id }),
              ...(path.endsWith('/annotation/list') && { agent_id: agent.id }),
              ...(/\/test\/(cases|runs)$/.test(path) && { id: set.id }),
            })
      const errors = answer.json.data?.errors ?? answer.json.errors
      assert.deepEqual([answer.status, errors?.[0]?.path], [400, '/cursor'], `${method} ${path}`)
    }
  })
})
