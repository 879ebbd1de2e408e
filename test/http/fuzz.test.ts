import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from '../support/fuzz/run-fuzz.ts'
import { rounds, seed } from '../support/rounds.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { operatorToken, startTestServer } from '../support/test-server.ts'

const requests = rounds(500)

test('survives seeded malformed requests with valid responses and intact data', async t => {
  const model = await startScriptedModel()
  const server = await startTestServer({
    ...model.environment,
    SECRET_KEY: 'a secret key of the fuzz test',
    WRONG_TOKENS_PER_MINUTE: '0',
  })
  t.after(async () => {
    await server.stop()
    await model.stop()
  })
  t.diagnostic(`seed ${seed}`)

  const result = await runFuzz({
    base: server.base,
    token: operatorToken,
    dataDir: server.config.dataDir,
    modelUrl: `${model.origin}/v1`,
    seed,
    requests,
  })

  t.diagnostic([...result.byStatus].map(([status, times]) => `${status}: ${times}`).join(', '))
  assert.deepEqual(result.failures, [])
  assert.equal(result.sent, requests)
  assert.ok((result.byStatus.get('200') ?? 0) > requests / 20, 'some requests must succeed')
})
