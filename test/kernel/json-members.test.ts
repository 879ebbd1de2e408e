import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type JsonLimits, jsonMembers } from '../../src/kernel/json-members.ts'
import { atOnce } from '../../src/kernel/slices.ts'

const membersOf = (text: string, limits: JsonLimits) => atOnce(jsonMembers(text, limits))

const max = { depth: 64, values: 1000, members: 100, innerMembers: 200 }

test('returns the text of a member exactly as it was sent', () => {
  const graph = '{ "a" : [1, 9007199254740993, -0.0,1e400], "__proto__": {"x":"}\\"{"} }'
  const members = membersOf(`{"id":"x", "workflow" :${graph} , "n":null}`, max)
  assert.equal(members.get('workflow')?.text, graph)
  assert.equal(members.get('id')?.text, '"x"')
  assert.equal(members.get('n')?.text, 'null')
})

test('uses the last of repeated keys, and decodes escaped keys', () => {
  assert.equal(membersOf('{"a":1,"a":2}', max).get('a')?.text, '2')
  assert.equal(membersOf('{"\\u0061":3}', max).get('a')?.text, '3')
})

test('reports the depth of a member', () => {
  const members = membersOf('{"deep":[[[1]]],"flat":1,"object":{"a":{}}}', max)
  assert.deepEqual(
    [...members].map(([key, { depth }]) => [key, depth]),
    [
      ['deep', 3],
      ['flat', 0],
      ['object', 2],
    ],
  )
})

test('rejects excessive depth before parsing', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.doesNotThrow(() => membersOf(nested(64), max))
  assert.throws(() => membersOf(nested(65), max), { reason: 'too_deep' })
  assert.throws(() => membersOf('['.repeat(5_000_000), max), { reason: 'too_deep' })
})

test('agrees with JSON.parse for every object, whatever its whitespace', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })),
      fc.constantFrom(0, 1, 2),
      (value, space) => {
        const text = JSON.stringify(value, null, space)
        const members = membersOf(text, max)
        const parsed = JSON.parse(text) as Record<string, unknown>
        assert.deepEqual([...members.keys()].sort(), Object.keys(parsed).sort())
        for (const [key, member] of members) assert.deepEqual(JSON.parse(member.text), parsed[key])
      },
    ),
  )
})

test('never throws for invalid JSON', () => {
  fc.assert(fc.property(fc.string(), text => void membersOf(text, max)))
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '}', '"', '\\', ',', ':', '[', ']', 'a')),
      parts => void membersOf(parts.join(''), max),
    ),
  )
})

test('rejects too many values at any level, and too many members', () => {
  const zeros = (count: number): string => Array.from({ length: count }, () => '0').join()
  assert.doesNotThrow(() => membersOf(`{"a":[${zeros(900)}]}`, max))
  for (const text of [`{"a":[${zeros(1000)}]}`, `{"a":${'[[],'.repeat(400)}`, `[${'{},'.repeat(600)}`])
    assert.throws(() => membersOf(text, { ...max, depth: 1e6 }), {
      reason: 'too_large',
      message: /1000 values/,
    })
  const members = Array.from({ length: 101 }, (_, at) => `"${at}":0`).join()
  assert.throws(() => membersOf(`{${members}}`, max), { reason: 'too_large', message: /100 members/ })
  assert.doesNotThrow(() => membersOf(`{"a":"${',[{'.repeat(2000)}"}`, max))
})

test('rejects too many members of one object at any level', () => {
  const zeros = (count: number): string => Array.from({ length: count }, (_, at) => `"${at}":0`).join()
  const inner = (count: number): string => `{"a":{"b":[{"c":{}},{${zeros(count)}},[${'{},'.repeat(201)}0]]}}`
  assert.doesNotThrow(() => membersOf(inner(200), max))
  assert.throws(() => membersOf(inner(201), max), {
    reason: 'too_large',
    errors: [{ path: '/a', message: 'has more than 200 members in one object' }],
  })
})
