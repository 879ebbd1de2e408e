import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { importTools } from '../../src/shared-tools/import-tools.ts'

const { signal } = new AbortController()
const read = (document: unknown) =>
  importTools(typeof document === 'string' ? document : JSON.stringify(document), { signal })

const shop = {
  openapi: '3.0.3',
  servers: [{ url: 'https://{region}.shop.example.com/v1/', variables: { region: { default: 'eu' } } }],
  security: [{ key: [] }],
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'get order',
        summary: 'Finds an order',
        parameters: [
          { $ref: '#/components/parameters/Lang' },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
      },
      put: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
      },
    },
    '/login': {
      post: {
        security: [],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { user: { type: 'string' } }, required: ['user'] },
            },
          },
        },
      },
    },
    '/photo': { post: { requestBody: { content: { 'image/png': {} } } } },
  },
  components: {
    parameters: {
      Lang: { name: 'lang', in: 'query', description: 'Language', schema: { enum: ['en', 'zh'] } },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      Order: {
        allOf: [
          { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
          { properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } } } },
        ],
      },
    },
  },
}

describe('an OpenAPI document becomes tools', () => {
  test('with all digits of its defaults, and with bounds that are numbers', async () => {
    const schema =
      '{"type":"integer","default":687865202956247041,"maximum":9223372036854775807,"maxLength":9223372036854775807,"minimum":"low"}'
    const parameter = `{"name":"id","in":"query","schema":${schema}}`
    const paths = `"/orders":{"get":{"parameters":[${parameter}]}}`
    const servers = '[{"url":"https://shop.example.com"}]'
    const json = `{"openapi":"3.0.3","servers":${servers},"paths":{${paths}}}`
    for (const document of [json, `openapi: 3.0.3\nservers: ${servers}\npaths: {${paths}}`]) {
      const { tools } = await read(document)
      assert.deepEqual(tools[0]!.parameters['properties'], {
        id: { type: 'integer', default: '687865202956247041', maximum: 2 ** 63, maxLength: 2 ** 63 },
      })
    }
  })

  test('one per operation, with parameters, bodies and secrets', async () => {
    const { tools, secrets, notes } = await read(shop)
    assert.deepEqual(notes, [])
    assert.deepEqual(secrets, [{ name: 'key', value: '' }])
    const [get, put, login, photo] = tools
    assert.deepEqual(get, {
      name: 'get_order',
      description: 'Finds an order',
      method: 'GET',
      url: 'https://eu.shop.example.com/v1/orders/{id}',
      headers: { 'x-key': '{{#secret.key#}}' },
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          lang: { enum: ['en', 'zh'], description: 'Language' },
          'X-Trace': { type: 'string' },
        },
        required: ['id'],
      },
      places: { lang: 'query', 'X-Trace': 'header' },
      notes: ['The parameter "session" is a cookie, which tools cannot send.'],
    })
    assert.equal(put!.name, 'put_orders_id')
    assert.deepEqual(put!.parameters, {
      type: 'object',
      properties: {
        id: { type: 'string' },
        note: { type: 'string' },
        parts: { type: 'array', items: {} },
      },
      required: ['id', 'note'],
    })
    assert.deepEqual(put!.notes, ['The schema "Order" contains itself and was cut there.'])
    assert.deepEqual(login!.headers, { 'content-type': 'application/x-www-form-urlencoded' })
    assert.deepEqual(photo!.notes, ['Its body is image/png, which tools cannot send; it was left out.'])
  })

  test('also in YAML, without a host, and with references that lead nowhere', async () => {
    const { tools, notes } = await read(`openapi: 3.1.0
paths:
  /a:
    get:
      parameters:
        - name: q
          in: query
          schema: { $ref: 'other.yaml#/Q' }
        - $ref: '#/components/parameters/None'
`)
    assert.equal(tools[0]!.url, 'https://example.com/a')
    assert.match(notes[0]!, /names no host/)
    assert.deepEqual(tools[0]!.notes, [
      '"#/components/parameters/None" does not exist in the document.',
      '"other.yaml#/Q" is outside of the document and was left out.',
    ])
  })

  test('also in Swagger 2', async () => {
    const { tools, secrets } = await read({
      swagger: '2.0',
      host: 'pets.example.com',
      basePath: '/v2',
      schemes: ['http', 'https'],
      securityDefinitions: {
        login: { type: 'basic' },
        token: { type: 'apiKey', in: 'query', name: 'api_key' },
      },
      paths: {
        '/pets': {
          get: { security: [{ token: [] }], parameters: [{ name: 'limit', in: 'query', type: 'integer' }] },
          post: {
            security: [{ login: [] }],
            parameters: [{ name: 'pet', in: 'body', schema: { $ref: '#/definitions/Pet' } }],
          },
          put: {
            consumes: ['application/x-www-form-urlencoded'],
            parameters: [{ name: 'name', in: 'formData', type: 'string', required: true }],
          },
        },
      },
      definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
    })
    const [get, post, put] = tools
    assert.equal(get!.url, 'https://pets.example.com/v2/pets?api_key={{#secret.token#}}')
    assert.deepEqual(get!.parameters['properties'], { limit: { type: 'integer' } })
    assert.deepEqual(post!.parameters['properties'], { name: { type: 'string' } })
    assert.equal(post!.headers['authorization'], 'Basic {{#secret.login#}}')
    assert.deepEqual(put!.parameters['required'], ['name'])
    assert.deepEqual(
      secrets.map(({ name }) => name),
      ['token', 'login'],
    )
  })

  test('or reports why it does not', async () => {
    const problem = async (content: unknown) =>
      read(content).then(
        () => 'none',
        (error: Error) => error.message,
      )
    assert.match(await problem({ info: {} }), /must be a curl command, or an OpenAPI 3 or Swagger 2 document/)
    assert.match(await problem('{"openapi": '), /begins like JSON, but is not valid/)
    assert.match(await problem('a: [1'), /cannot be imported: line 1/)
    assert.match(await problem({ openapi: '3.0.0', paths: {} }), /has no operations/)
    const paths = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`/p${at}`, { get: {} }]))
    const { tools, notes } = await read({ openapi: '3.1.0', paths })
    assert.equal(tools.length, 200)
    assert.match(notes.join(), /Only the first 200 operations/)
  })

  test('at the server of the operation, of its path, or of the document', async () => {
    const server = (url: string) => ({ servers: [{ url }] })
    const { tools, notes } = await read({
      ...{ openapi: '3.0.0', ...server('https://api.example.com') },
      paths: {
        '/a': { get: {}, post: server('https://files.example.com/v1/') },
        '/b': { ...server('https://other.example.com'), get: {}, post: server('https://files.example.com') },
        '/c': { get: { servers: [] }, post: server('/v2') },
      },
    })
    assert.deepEqual(
      tools.map(({ url }) => url),
      [
        ...['https://api.example.com/a', 'https://files.example.com/v1/a'],
        ...['https://other.example.com/b', 'https://files.example.com/b'],
        ...['https://api.example.com/c', 'https://example.com/v2/c'],
      ],
    )
    assert.match(notes.join(), /^The document names no host/)
  })

  test('with the content type of a JSON body, and a note where its method has none', async () => {
    const body = (type: string) => ({
      requestBody: { content: { [type]: { schema: { properties: { a: { type: 'string' } } } } } },
    })
    const typeOf = async (operation: object, version: object = { openapi: '3.0.0' }) =>
      (await read({ ...version, paths: { '/a': { patch: operation } } })).tools[0]!.headers['content-type']
    for (const type of ['application/vnd.api+json', 'application/json-patch+json', 'text/json; v=1'])
      assert.equal(await typeOf(body(type)), type)
    for (const type of ['application/json', 'application/json; charset=utf-8', '*/*', 'application/*+json'])
      assert.equal(await typeOf(body(type)), undefined, type)
    const old = { consumes: ['text/xml', 'application/hal+json'], parameters: [{ name: 'x', in: 'body' }] }
    assert.equal(await typeOf(old, { swagger: '2.0' }), 'application/hal+json')

    const { tools } = await read({
      openapi: '3.0.0',
      paths: { '/a': { get: {}, delete: body('application/json') }, '/b': { delete: {} } },
    })
    assert.deepEqual(
      tools.map(({ notes }) => notes),
      [[], ['The body was left out: tools send none with DELETE.'], []],
    )
    assert.deepEqual(tools[1]!.parameters['properties'], {})
  })
})
