import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { dataOf } from '../support/knowledge.ts'
import { makeAgent } from '../support/talk.ts'
import { startTestServer } from '../support/test-server.ts'

describe('the address of a client', () => {
  const addressFor = async (environment: Record<string, string>, forwarded: string): Promise<string> => {
    const server = await startTestServer({ DEMO: 'off', ...environment })
    const headers = { 'x-forwarded-for': forwarded }
    const workflow = { nodes: [], edges: [] }
    await dataOf(server.api.post('workflow/update', { id: 'w', workflow }, { headers }))
    const { address } = (await dataOf(server.api.get('audit'))).items[0]
    await server.stop()
    return address
  }

  test('is that of the connection, whatever the client claims', async () => {
    assert.equal(await addressFor({}, '203.0.113.9'), '127.0.0.1')
    assert.equal(await addressFor({ TRUSTED_PROXIES: '10.0.0.0/8' }, '203.0.113.9'), '127.0.0.1')
  })

  test('is the address that a trusted proxy reports, not the one that the client sent', async () => {
    const trusted = { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' }
    assert.equal(await addressFor(trusted, '203.0.113.9'), '203.0.113.9')
    assert.equal(await addressFor(trusted, '198.51.100.1, 203.0.113.9, 10.1.2.3'), '203.0.113.9')
    assert.equal((await addressFor(trusted, 'x'.repeat(500))).length, 64)
  })

  test('counts for limits', async () => {
    const server = await startTestServer({
      DEMO: 'off',
      TRUSTED_PROXIES: '127.0.0.0/8',
      PUBLIC_CALLS_PER_MINUTE: '1',
    })
    const agent = await makeAgent(server.api, { persona: 'x' }, { access: 'public' })
    const open = async (client: string): Promise<number> =>
      (
        await server.api
          .as(undefined)
          .post('conversation/create', { agent_id: agent }, { headers: { 'x-forwarded-for': client } })
      ).status
    assert.deepEqual(
      [await open('203.0.113.1'), await open('203.0.113.2'), await open('203.0.113.1')],
      [200, 200, 429],
    )
    await server.stop()
  })

  test('needs valid networks in the settings', () => {
    for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129'])
      assert.throws(
        () => readConfig({ TRUSTED_PROXIES: wrong }),
        /TRUSTED_PROXIES must be addresses or networks/,
      )
    assert.deepEqual(readConfig({ TRUSTED_PROXIES: '::1, 10.0.0.0/8' }).trustedProxies, ['::1', '10.0.0.0/8'])
  })
})
