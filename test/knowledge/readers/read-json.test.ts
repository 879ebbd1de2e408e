import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DocumentFailure } from '../../../src/knowledge/ingest/document-failure.ts'
import {
  JsonNumber,
  JsonParser,
  type JsonValue,
} from '../../../src/knowledge/ingest/readers/data/json-parser.ts'
import { readJson } from '../../../src/knowledge/ingest/readers/data/read-json.ts'

const blocks = (text: string, kind: 'json' | 'jsonl' = 'json') => [...readJson(text, kind)]
const paragraph = (text: string) => ({ kind: 'paragraph', text })
const heading = (level: number, text: string) => ({ kind: 'heading', level, text })
const long = 'All about teapots. '.repeat(40).trim()

describe('JSON', () => {
  it('writes every value with its path', () => {
    assert.deepEqual(blocks('{"product":"teapot","price":42}'), [paragraph('product: teapot\nprice: 42')])
    assert.deepEqual(blocks('{"a":{"b":[{"c":1},{"c":true}]},"d":null,"e":["x","y"]}'), [
      paragraph('a.b[0].c: 1\na.b[1].c: true\ne: x, y'),
    ])
  })

  it('creates a paragraph per record', () => {
    const expected = [paragraph('id: 1\nname: tea'), paragraph('id: 2\nname: rice')]
    assert.deepEqual(blocks('[{"id":1,"name":"tea"},{"id":2,"name":"rice"}]'), expected)
    assert.deepEqual(blocks('{"id":1,"name":"tea"}\n\n{"id":2,"name":"rice"}\n', 'jsonl'), expected)
    assert.deepEqual(blocks('{"data":[{"id":1}],"total":1}'), [
      heading(1, 'data'),
      paragraph('id: 1'),
      heading(1, 'total'),
      paragraph('total: 1'),
    ])
  })

  it('gives long texts a heading, and the records after them too', () => {
    assert.deepEqual(blocks(JSON.stringify([{ title: 'Tea', body: long }, { title: 'Rice' }])), [
      heading(1, 'Tea'),
      paragraph('title: Tea'),
      heading(2, 'body'),
      paragraph(long),
      heading(1, 'Rice'),
      paragraph('title: Rice'),
    ])
    assert.deepEqual(blocks('{"text":"one\\n\\ntwo"}'), [
      heading(1, 'text'),
      paragraph('one'),
      paragraph('two'),
    ])
  })

  it('keeps numbers as they are written', () => {
    assert.deepEqual(blocks('{"id":12345678901234567890,"price":1.10}'), [
      paragraph('id: 12345678901234567890\nprice: 1.10'),
    ])
  })

  it('reads scalar values', () => {
    assert.deepEqual(blocks('"hello"'), [paragraph('hello')])
    assert.deepEqual(blocks('[1,"two",null]'), [paragraph('1, two')])
    assert.equal(blocks(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index))).length, 20)
    assert.deepEqual(blocks(' '), [])
    assert.deepEqual(blocks('[{},[],"",null]'), [])
  })

  it('accepts comments and trailing commas', () => {
    assert.deepEqual(blocks('{ // why\n "a": 1, /* b */ "c": [1,2,], }'), [paragraph('a: 1\nc: 1, 2')])
  })

  it('omits base64 data', () => {
    assert.deepEqual(blocks(JSON.stringify({ name: 'x', png: 'iVBORw0KGgo'.repeat(100) })), [
      paragraph('name: x'),
    ])
  })

  it('reports the position of a syntax error', () => {
    const broken = {
      '{"a":1,\n "b" 2}': /line 2, column 6/,
      '[1': /the end of the file/,
      nope: /line 1, column 1/,
      '{"a":"x': /end of a string/,
      '{"a":"x"}\n{"a":"y}\n{"a":"z"}': /line 2, column 9 .*: expected the end of a string, found "\\n"/,
      '{"a":"x"}\n{"a":"y}\n': /line 2, column 9 /,
      '{"a":"x\ny","b" 2}': /line 2, column 8 .* expected ":"/,
    }
    for (const [text, message] of Object.entries(broken))
      assert.throws(
        () => blocks(text),
        (error: unknown) =>
          error instanceof DocumentFailure && error.code === 'broken_file' && message.test(error.message),
        text,
      )
  })

  it('limits the depth', () => {
    for (const text of ['['.repeat(200_000), `${'['.repeat(300)}${']'.repeat(300)}`, '{"a":'.repeat(100_000)])
      assert.throws(
        () => blocks(text),
        (error: unknown) => error instanceof DocumentFailure && error.code === 'too_complex',
      )
  })
})

const plain = (value: JsonValue): unknown => {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plain)
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]))
    : value
}

it('parses what JSON.parse parses, to the same values', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      assert.deepEqual(plain(new JsonParser(text).value()), JSON.parse(text))
    }),
  )
})

it('throws only DocumentFailure', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{}":,\\/*un1e-.tru \n'), maxLength: 60 }), text => {
      try {
        blocks(text)
      } catch (error) {
        assert.ok(error instanceof DocumentFailure, String(error))
      }
    }),
    { numRuns: 500 },
  )
})
