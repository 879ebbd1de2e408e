import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'

test('keys that are invalid in a header are reported at the start', () => {
  const problem = 'must be visible ASCII characters without spaces and line breaks'
  assert.throws(
    () => readConfig({ MODEL_API_KEY: 'sk-1\r', EMBEDDING_API_KEY: 'a b', WEB_SEARCH_API_KEY: '密钥' }),
    {
      message: `Invalid settings:\n  MODEL_API_KEY ${problem}\n  WEB_SEARCH_API_KEY ${problem}\n  EMBEDDING_API_KEY ${problem}`,
    },
  )
  assert.equal(readConfig({ MODEL_API_KEY: 'sk-1' }).modelApiKey, 'sk-1')
  assert.equal(readConfig({ MODEL_API_KEY: '' }).modelApiKey, undefined)
})

test('a model without its address, and an address without its model, are reported at the start', () => {
  const models = {
    MODEL_NAME: 'm',
    TRANSCRIBE_MODEL: 'm',
    SPEECH_MODEL: 'm',
    EMBEDDING_MODEL: 'm',
    RERANK_MODEL: 'm',
  }
  const groups = ['MODEL', 'TRANSCRIBE', 'SPEECH', 'EMBEDDING', 'RERANK']
  const modelOf = (group: string) => (group === 'MODEL' ? 'MODEL_NAME' : `${group}_MODEL`)
  assert.throws(() => readConfig(models), {
    message: `Invalid settings:${groups.map(group => `\n  ${group}_BASE_URL is required when ${modelOf(group)} is set`).join('')}`,
  })
  const addresses = Object.fromEntries(groups.map(group => [`${group}_BASE_URL`, 'http://127.0.0.1:1/v1']))
  assert.throws(() => readConfig(addresses), {
    message: `Invalid settings:${groups.map(group => `\n  ${modelOf(group)} is required when ${group}_BASE_URL is set`).join('')}`,
  })
  assert.equal(readConfig({ ...models, ...addresses }).rerank?.model, 'm')
})
