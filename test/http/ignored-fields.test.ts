import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ignoredFields } from '../../src/http/ignored-fields.ts'
import { chain, output } from '../support/run-graphs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

describe('The fields of a request that are ignored', () => {
  const text = { type: 'string' }
  const closed = { type: 'object', properties: { name: text, zone: text } }
  const open = { type: 'object', additionalProperties: true, properties: { name: text } }
  const schema = {
    type: 'object',
    properties: {
      name: text,
      one: closed,
      many: { type: 'array', items: closed },
      open,
      any: {},
      either: { anyOf: [{ type: 'null' }, closed, { type: 'object', properties: { other: text } }] },
    },
  }
  for (const [value, expected] of [
    [{ name: 'a', one: { zone: 'b' } }, undefined],
    [{ name: 'a', nam: 1, one: { zon: 1 } }, '/nam, /one/zon'],
    [{ many: [{ name: '' }, { nome: '' }] }, '/many/1/nome'],
    [{ open: { x: { y: 1 } }, any: { z: 1 } }, undefined],
    [{ either: { other: 1, zone: 1, none: 1 } }, '/either/none'],
    [{ either: null, one: 'a text' }, undefined],
    [JSON.parse('{"__proto__": 1, "constructor": 2}'), '/__proto__, /constructor'],
    [{ 'a/b~, \n名\ud800': 1 }, '/a~1b~0%2C%20%0A%E5%90%8D%EF%BF%BD'],
    [null, undefined],
    ['text', undefined],
  ] as const)
    it(`are named for ${JSON.stringify(value)}`, () => assert.equal(ignoredFields(schema, value), expected))

  it('are named up to a limit', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${'x'.repeat(200)}`, at]))
    const names = ignoredFields(schema, many)!.split(', ')
    assert.deepEqual([names.length, names[0]!.length], [10, 100])
    const items = Array.from({ length: 100_000 }, () => ({ name: '' }))
    assert.equal(ignoredFields(schema, { many: [...items, { x: 1 }] }), undefined)
  })

  describe('are in a header', () => {
    let server: TestServer
    before(async () => {
      server = await startTestServer({ DEMO: 'off' })
    })
    after(() => server.stop())
    const header = (response: { headers: Headers }) => response.headers.get('x-ignored-fields')

    it('of an answer and of an error, and nothing else changes', async () => {
      const { api } = server
      const created = await api.post('workflow/create', {
        nome: 'Tea',
        workflow: { ...chain(output('out', 'hello')), extra: { kept: true } },
      })
      assert.deepEqual([created.status, header(created)], [200, '/nome'])
      const { id } = created.json.data
      const trigger = await api.post('trigger/create', {
        kind: 'schedule',
        name: 'Daily',
        workflow_id: id,
        schedule: { cron: '0 8 * * *', time_zone: 'Asia/Shanghai' },
      })
      assert.deepEqual([trigger.status, header(trigger)], [200, '/schedule/time_zone'], trigger.text)
      const refused = await api.post('agent/create', { nam: 'x' })
      assert.deepEqual([refused.status, header(refused)], [400, '/nam'])
      const run = await api.post('workflow/run', { id, inputs: { anything: 1 } })
      assert.deepEqual([run.status, header(run)], [200, null])
    })
  })
})
