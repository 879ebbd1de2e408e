import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from '../support/fuzz/run-fuzz.ts'
import { rounds, seed } from '../support/rounds.ts'
import { operatorToken, startTestServer } from '../support/test-server.ts'

const requests = rounds(1000)

test('survives seeded malformed requests with valid responses and intact data', async t => {
  const server = await startTestServer({
    SECRET_KEY: 'a secret key of the fuzz test',
    WRONG_TOKENS_PER_MINUTE: '0',
  })
  t.after(() => server.stop())
  t.diagnostic(`seed ${seed}`)

  const result = await runFuzz({
    base: server.base,
    token: operatorToken,
    dataDir: server.config.dataDir,
    seed,
    requests,
  })

  t.diagnostic([...result.byStatus].map(([status, times]) => `${status}: ${times}`).join(', '))
  assert.deepEqual(result.failures, [])
  assert.equal(result.sent, requests)
  assert.ok((result.byStatus.get('200') ?? 0) > requests / 20, 'some requests must succeed')
})
