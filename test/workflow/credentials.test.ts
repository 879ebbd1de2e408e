import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../src/kernel/slices.ts'
import { findCredentials, hideCredentials, maskCredentials } from '../../src/workflow/credentials.ts'
import { graph, node } from './graphs.ts'

const masked = (data: object): [string, string][] =>
  findCredentials(data).map(({ path, masked: text }) => [path.join('/'), text])

test('finds literal credentials in headers, URLs, query and bodies', () => {
  assert.deepEqual(
    masked({
      url: 'https://ada:pw@e.com/a?api_key=K1&page=2&access_token=K2#x',
      headers: { Authorization: 'Bearer K3', 'X-Jwt': 'K4', Cookie: 'sid=K5', Accept: 'text/html' },
      query: { key: 'K6', q: 'tea' },
      body: { auth: { password: 'K7', user: 'ada' }, list: [{ token: 8 }] },
      arguments: { client_secret: 'K9', key: 'colour' },
    }),
    [
      ['url', 'https://•••@e.com/a?api_key=•••&page=2&access_token=•••#x'],
      ['headers/Authorization', '•••'],
      ['headers/X-Jwt', '•••'],
      ['headers/Cookie', '•••'],
      ['query/key', '•••'],
      ['body/auth/password', '•••'],
      ['body/list/0/token', '•••'],
      ['arguments/client_secret', '•••'],
    ],
  )
  assert.deepEqual(masked({ tools: [{ url: 'https://e.com/?token=K', headers: 'X-Key: K' }] }), [
    ['tools/0/url', 'https://e.com/?token=•••'],
    ['tools/0/headers', '•••'],
  ])
})

test('finds literal credentials in bodies that are texts', () => {
  const json = '{"user": "ada", "password" : "a\\"b", "n": [{"api_key":17, "token": "{{#login.token#}}"}]}'
  assert.deepEqual(masked({ body: json }), [
    ['body', '{"user": "ada", "password" : "•••", "n": [{"api_key":"•••", "token": "{{#login.token#}}"}]}'],
  ])
  assert.deepEqual(masked({ body: 'grant_type=x&client_secret=K7&key={{#secret.k#}}' }), [
    ['body', 'grant_type=x&client_secret=•••&key={{#secret.k#}}'],
  ])
  const [found] = findCredentials({ arguments: '{"token":"K"}' })
  assert.equal(
    found!.referring(name => `{{#secret.${name}#}}`),
    '{"token":"{{#secret.token#}}"}',
  )
  for (const body of ['{{#llm.text#}}', '{"q": "{{#sys.query#}}"}', 'The password is in the letter', ''])
    assert.deepEqual(masked({ body }), [], body)
})

test('finds literal credentials among named values', () => {
  const list = [
    { name: 'api_key', value: 'K1' },
    { name: 'host', value: 'example.com' },
    { name: 'password', value: '{{#secret.pw#}}' },
    { name: 'token', file: 'file_1' },
    5,
  ]
  assert.deepEqual(masked({ environment: list, form: list }), [
    ['environment/0/value', '•••'],
    ['form/0/value', '•••'],
  ])
})

test('finds literal credentials in the settings of a node that was not imported', () => {
  const original = {
    title: 'Tool',
    tool_configurations: { api_key: 'K1', size: 5 },
    headers: 'Authorization: Bearer K2',
    config: { tools: [{ password: 'K3' }] },
  }
  assert.deepEqual(masked({ original }), [
    ['original/tool_configurations/api_key', '•••'],
    ['original/headers', '•••'],
    ['original/config/tools/0/password', '•••'],
  ])
})

test('finds none in references, placeholders and harmless values', () => {
  assert.deepEqual(
    masked({
      url: 'https://{{#secret.user#}}@e.com/{id}?token={token}&api_key={{#secret.k#}}&page=1',
      headers: {
        Authorization: 'Bearer {{#login.token#}}',
        'Content-Type': 'application/json',
        'X-Empty': '',
      },
      query: { token: '{{#secret.k#}}', max_tokens: '4' },
      body: { token: { type: 'text' }, tokens: 5 },
      parameters: { token: 'What the user typed' },
      prompt_template: 'The password is in headers',
    }),
    [],
  )
})

test('hides credentials in the exact text of a graph', () => {
  const text = JSON.stringify(
    graph([
      node('Call 1', 'http_request', {
        url: 'https://e.com/?api_key=K1',
        headers: { Authorization: 'Bearer K2', Accept: 'text/html' },
      }),
    ]),
  ).replace('"nodes":', ' "nodes" : ')
  const bytes = new TextEncoder().encode(text)
  assert.equal(
    Buffer.from(atOnce(hideCredentials(bytes, { by: 'mask' }))).toString(),
    text.replace('K1', '•••').replace('Bearer K2', '•••'),
  )
  assert.equal(
    Buffer.from(atOnce(hideCredentials(bytes, { by: 'reference' }))).toString(),
    text.replace('K1', '{{#secret.call_1_api_key#}}').replace('K2', '{{#secret.call_1_authorization#}}'),
  )
})

test('is certain of headers with a telling name or value', () => {
  const headers = {
    'X-Shop': 'tea',
    'X-Keyword': 'green tea from Uji',
    'X-Api-Key': 'short',
    'X-Hub': 'f3b1c9d2e4a5968771234567',
    'X-Way': 'Bearer abc',
  }
  assert.deepEqual(
    findCredentials({ headers }).map(({ isCertain }) => isCertain),
    [false, false, true, true, true],
  )
  const bytes = new TextEncoder().encode(JSON.stringify(graph([node('call', 'http_request', { headers })])))
  const exported = Buffer.from(
    atOnce(hideCredentials(bytes, { by: 'reference', onlyCertain: true })),
  ).toString()
  assert.match(exported, /"tea".*"green tea from Uji".*\{\{#secret\.call_x_api_key#\}\}/)
})

test('masks a copy, and returns a value without credentials unchanged', () => {
  const config = { tools: { crm: { running_config: { headers: { 'X-Key': 'K' } } } } }
  assert.deepEqual(maskCredentials(config), {
    tools: { crm: { running_config: { headers: { 'X-Key': '•••' } } } },
  })
  assert.equal(config.tools.crm.running_config.headers['X-Key'], 'K')
  const plain = { tools: {} }
  assert.equal(maskCredentials(plain), plain)
})
