import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { importCurl } from '../../src/shared-tools/import-curl.ts'

const read = (command: string) => {
  const { tools, secrets } = importCurl(command)
  return { ...tools[0]!, secrets }
}
const bodyOf = (command: string) =>
  read(command).parameters['properties'] as Record<string, { default?: unknown }>
const defaultsOf = (command: string) =>
  Object.fromEntries(Object.entries(bodyOf(command)).map(([name, schema]) => [name, schema.default]))
const problemOf = (command: string): string => {
  try {
    importCurl(command)
  } catch (error) {
    if (error instanceof AppError) return error.message
  }
  return 'none'
}

describe('a curl command becomes a tool', () => {
  test('unless it has very many credentials', () => {
    const command = (count: number): string =>
      `curl x.example ${Array.from({ length: count }, (_, at) => `-H 'X-Token: ${at}'`).join(' ')}`
    assert.equal(read(command(100)).secrets.length, 100)
    assert.match(problemOf(command(101)), /has more than 100 credentials/)
  })

  test('with its query as parameters and its credentials as secrets', () => {
    const tool = read(
      `curl -X GET "https://api.shop.example.com/v1/orders/search?q=tea&limit=5&api_key=abc123" -H 'Authorization: Bearer sk-live-1' -H "Accept: application/json"`,
    )
    assert.equal(tool.name, 'get_orders_search')
    assert.equal(tool.method, 'GET')
    assert.equal(tool.url, 'https://api.shop.example.com/v1/orders/search?api_key={{#secret.shop_api_key#}}')
    assert.deepEqual(tool.headers, {
      authorization: 'Bearer {{#secret.shop_token#}}',
      accept: 'application/json',
    })
    assert.deepEqual(tool.parameters, {
      type: 'object',
      properties: { q: { type: 'string', default: 'tea' }, limit: { type: 'string', default: '5' } },
    })
    assert.deepEqual(tool.places, { q: 'query', limit: 'query' })
    assert.deepEqual(tool.secrets, [
      { name: 'shop_token', value: 'sk-live-1' },
      { name: 'shop_api_key', value: 'abc123' },
    ])
    assert.ok(!JSON.stringify({ ...tool, secrets: [] }).match(/sk-live-1|abc123/))
  })

  test('with all digits of an id in its body', () => {
    const command = `curl https://example.com/orders --json '{"id":687865202956247041,"count":2}'`
    assert.deepEqual(defaultsOf(command), { id: '687865202956247041', count: 2 })
  })

  test('without the placeholders of its values', () => {
    const query = 'curl "https://example.com/search?q=$QUERY&lang={lang}&limit=5"'
    assert.deepEqual(defaultsOf(query), { q: undefined, lang: undefined, limit: '5' })
    const body = `curl https://example.com --json '{"q":"<your question>","price":"$5"}'`
    assert.deepEqual(defaultsOf(body), { q: undefined, price: '$5' })
    assert.match(problemOf('curl $SERVER/search'), /has no URL that a tool can call/)
  })

  test('with a list where a name is repeated', () => {
    const tags = { tag: ['a', 'b'], q: 'x' }
    const list = { type: 'array', items: { type: 'string' }, default: tags.tag }
    assert.deepEqual(bodyOf('curl "https://example.com/?tag=a&q=x&tag=b"')['tag'], list)
    for (const command of [
      'curl -G -d tag=a -d q=x -d tag=b https://example.com',
      'curl -d tag=a -d q=x -d tag=b https://example.com',
      'curl -F tag=a -F q=x -F tag=b https://example.com',
    ])
      assert.deepEqual(defaultsOf(command), tags, command)
    assert.equal(
      read('curl "https://example.com/?api_key=k1&api_key=k2"').url,
      'https://example.com/?api_key={{#secret.example_api_key#}}&api_key={{#secret.example_api_key_2#}}',
    )
    assert.doesNotMatch(
      JSON.stringify(read('curl -d password=hidden -d password=secret https://example.com')),
      /hidden|secret"/,
    )
  })

  test('as browsers copy it for bash', () => {
    const command = `curl 'https://example.com/items' \\
  -H 'accept: */*' \\
  -H 'user-agent: Mozilla/5.0' \\
  -b 'session=1' \\
  --data-raw $'{"text":"it\\'s \\u4f60\\u597d\\\\n","count":2,"tags":["a"],"deep":{"x":1.5}}' \\
  --compressed -sSL`
    const tool = read(command)
    assert.deepEqual(tool.headers, { accept: '*/*' })
    assert.equal(tool.method, 'POST')
    assert.match(tool.notes.join(), /cookie was left out/)
    assert.deepEqual(defaultsOf(command), { text: "it's 你好\n", count: 2, tags: ['a'], deep: { x: 1.5 } })
  })

  test('as browsers copy it for cmd.exe', () => {
    const command =
      'curl ^"https://example.com/items?a=1^&b=2^" ^\r\n  -H ^"x-api-key: k123^" ^\r\n  --data-raw ^"^{^\\^"city^\\^":^\\^"Paris^\\^"^}^"'
    const tool = read(command)
    assert.deepEqual(defaultsOf(command), { a: '1', b: '2', city: 'Paris' })
    assert.deepEqual(tool.headers, { 'x-api-key': '{{#secret.example_api-key#}}' })
    assert.deepEqual(tool.secrets, [{ name: 'example_api-key', value: 'k123' }])
  })

  test('with bodies of all kinds', () => {
    assert.deepEqual(defaultsOf(`curl example.com -d '{"a": {"b": [1]}, "c": true}'`), {
      a: { b: [1] },
      c: true,
    })
    assert.deepEqual(defaultsOf(`curl example.com --json '{"n": 1}'`), { n: 1 })
    const form = read('curl -d a=1 --data-urlencode "b=x y&z" https://example.com/f')
    assert.equal(form.headers['content-type'], 'application/x-www-form-urlencoded')
    assert.deepEqual(defaultsOf('curl -d a=1 --data-urlencode "b=x y&z" https://example.com/f'), {
      a: '1',
      b: 'x y&z',
    })
    const get = read('curl -G https://example.com/f -d a=1 --data-urlencode "q=a b"')
    assert.deepEqual([get.method, get.places], ['GET', { a: 'query', q: 'query' }])
    const multipart = read('curl -F name=Ann -F "photo=@me.png" https://example.com/f')
    assert.deepEqual(Object.keys(bodyOf('curl -F name=Ann https://example.com/f')), ['name'])
    assert.equal(multipart.notes.length, 2)
    const text = read(`curl -XPUT -H'Content-Type: text/plain' -d 'hello' https://example.com/t`)
    assert.deepEqual(
      [text.method, text.places, text.headers['content-type']],
      ['PUT', { body: 'body' }, 'text/plain'],
    )
  })

  test('with a user, a variable of the shell and a password in the body', () => {
    assert.deepEqual(read('curl -u ann:pw1 https://example.com/').secrets, [
      { name: 'example_basic', value: Buffer.from('ann:pw1').toString('base64') },
    ])
    const [plain] = read('curl https://ann:50%off@example.com/').secrets
    assert.equal(plain?.value, Buffer.from('ann:50%off').toString('base64'))
    const named = read(
      'curl https://api.openai.com/v1/models -H "Authorization: Bearer $OPENAI_API_KEY" | jq .',
    )
    assert.deepEqual(named.secrets, [{ name: 'openai_api_key', value: '' }])
    assert.equal(named.headers['authorization'], 'Bearer {{#secret.openai_api_key#}}')
    const login = read(`curl https://example.com/login -d '{"user":"a","password":"hunter22"}'`)
    assert.ok(!JSON.stringify(login).includes('hunter22'))
    assert.match(login.notes.join(), /"password" was left out/)
  })

  test('with a body that is nested deeper than a tool can store', () => {
    const deep = `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`
    const { places } = read(`curl https://example.com -H 'Content-Type: application/json' -d '${deep}'`)
    assert.deepEqual(places, { body: 'body' })
  })

  test('or reports why it does not', () => {
    assert.match(problemOf('wget https://example.com'), /starts with curl/)
    assert.match(problemOf('curl'), /has no URL/)
    assert.match(problemOf('curl ftp://example.com/x'), /has no URL that a tool can call/)
    assert.match(problemOf('curl "https://example.com'), /quote " that is not closed/)
    assert.match(problemOf('curl -d @body.json https://example.com'), /from a file \("@body.json"\)/)
    assert.match(problemOf('curl -T file https://example.com'), /--upload-file/)
    assert.match(problemOf('curl -X TRACE https://example.com'), /method TRACE/)
  })
})
