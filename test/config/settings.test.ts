import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'

test('keys that cannot be sent in a header are named at the start', () => {
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
