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
  const search = { WEB_SEARCH_URL: 'http://127.0.0.1:1/' }
  assert.equal(readConfig({ ...search, WEB_SEARCH_API_KEY: 'sk-1' }).webSearch?.apiKey, 'sk-1')
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

test('a key without the address that it is for is named at the start', () => {
  const groups = ['MODEL', 'TRANSCRIBE', 'SPEECH', 'EMBEDDING', 'RERANK']
  const keys = Object.fromEntries([...groups, 'OCR', 'WEB_SEARCH'].map(group => [`${group}_API_KEY`, 'k']))
  const problems = [
    ...groups.map(group => `${group}_BASE_URL is required when ${group}_API_KEY is set`),
    'OCR_MODEL is required when OCR_API_KEY is set',
    'WEB_SEARCH_URL is required when WEB_SEARCH_API_KEY is set',
  ]
  assert.throws(
    () => readConfig(keys),
    ({ message }) => {
      const [, ...lines] = message.split('\n')
      assert.deepEqual(lines.map((line: string) => line.trim()).sort(), problems.sort())
      return true
    },
  )
})

test('origins are read as browsers send them, and others are reported at the start', () => {
  const read = (origins: string) => readConfig({ MCP_ORIGINS: origins }).mcpOrigins
  assert.deepEqual(read('https://App.example.com/, http://tea.example:80, chrome-extension://abc'), [
    'https://app.example.com',
    'http://tea.example',
    'chrome-extension://abc',
  ])
  for (const wrong of ['app.example.com', 'https://app.example.com/mcp', 'https://*.example.com', '*'])
    assert.throws(() => read(wrong), {
      message: `Invalid settings:\n  MCP_ORIGINS must be origins such as https://app.example.com, but ${wrong} is not`,
    })
})
