import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { readVariables, resolveVariables } from '../../src/workflow/input-variables.ts'
import { type FileLookup, givenInputs } from '../../src/workflow/run/run-inputs.ts'

type Declared = Record<string, unknown>

const stored = {
  file_a: { id: 'file_a', name: 'Menu.PDF', mimeType: 'application/pdf', size: 3 },
  file_b: { id: 'file_b', name: 'photo', mimeType: 'image/png', size: 5 },
  file_c: { id: 'file_c', name: 'app.bin', mimeType: 'application/octet-stream', size: 7 },
}
const files: FileLookup = {
  info: async (_, ids) => ({ items: Object.values(stored).filter(({ id }) => ids.includes(id)) }),
}

const resolve = (declared: Declared[], sent: Declared) =>
  givenInputs({ variables: readVariables({ variables: declared }) }, sent, files, 'w')

/** The value that one variable `x` gets. */
const valueFor = async (declared: Declared, sent?: unknown): Promise<unknown> =>
  (await resolve([{ name: 'x', ...declared }], sent === undefined ? {} : { x: sent }))['x']

const refused = (work: Promise<unknown>, ...messages: RegExp[]) =>
  assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.reason, 'invalid_request')
    assert.match(error.message, /^inputs\./)
    for (const [at, message] of messages.entries())
      assert.match(`${error.errors[at]?.path} ${error.errors[at]?.message}`, message)
    assert.equal(error.errors.length, messages.length)
    return true
  })

describe('the value of an input variable', () => {
  test('is the sent value, converted to the type of the variable', async () => {
    const cases: [Declared, unknown, unknown][] = [
      [{ type: 'text' }, 'Paris', 'Paris'],
      [{ type: 'text' }, 7, '7'],
      [{ type: 'paragraph' }, 'a\nb', 'a\nb'],
      [{ type: 'number' }, 1.5, 1.5],
      [{ type: 'number' }, ' 42 ', 42],
      [{ type: 'number' }, 0, 0],
      [{ type: 'select', options: ['1', '2'] }, 2, '2'],
      [{ type: 'checkbox' }, true, true],
      [{ type: 'checkbox' }, 'False', false],
      [{ type: 'checkbox' }, 1, true],
      [{ type: 'json' }, { a: [1] }, { a: [1] }],
      [{ type: 'json' }, '{"a":[1]}', { a: [1] }],
      [{ type: 'json' }, [], []],
      // As numbers, these ids would lose their last digits.
      [{ type: 'number' }, '687865202956247041', '687865202956247041'],
      [{ type: 'json' }, '{"id":687865202956247041}', { id: '687865202956247041' }],
    ]
    for (const [declared, sent, value] of cases) assert.deepEqual(await valueFor(declared, sent), value)
  })

  test('is the default where nothing, null or a blank text was sent', async () => {
    const declared = { type: 'number', default: 3 }
    for (const sent of [undefined, null, '', '  ', '\u200b']) assert.equal(await valueFor(declared, sent), 3)
    assert.equal(await valueFor(declared, 0), 0)
    assert.equal(await valueFor({ type: 'text', required: true, default: 'x' }, ''), 'x')
  })

  test('without a default is empty, or absent where a type has no empty value', async () => {
    assert.equal(await valueFor({ type: 'text' }), '')
    assert.equal(await valueFor({ type: 'paragraph' }), '')
    assert.equal(await valueFor({ type: 'select', options: ['a'] }), '')
    assert.equal(await valueFor({ type: 'checkbox' }), false)
    assert.deepEqual(await valueFor({ type: 'files' }), [])
    for (const type of ['number', 'json', 'file'])
      assert.deepEqual(await resolve([{ name: 'x', type }], { x: null }), {})
  })

  test('must fit its type', async () => {
    const cases: [Declared, unknown, RegExp][] = [
      [{ type: 'text' }, { a: 1 }, /must be text of at most 100000 characters, but is an object/],
      [{ type: 'text', max_length: 3 }, 'abcd', /text of at most 3 characters, but is "abcd"/],
      [{ type: 'number' }, 'many', /must be a number, but is "many"/],
      [{ type: 'number' }, true, /must be a number/],
      [{ type: 'select', options: ['a', 'b'] }, 'c', /one of "a", "b", but is "c"/],
      [{ type: 'checkbox' }, 'maybe', /must be true or false/],
      [{ type: 'json' }, '{a', /must be valid JSON/],
      [{ type: 'file' }, 5, /must be the id of an uploaded file/],
      [{ type: 'files', max_length: 1 }, ['file_a', 'file_b'], /a list of at most 1 ids/],
      [{ type: 'files' }, [{}], /ids of uploaded files/],
      [{ type: 'text', required: true }, ' ', /is required/],
      [{ type: 'files', required: true }, [], /is required/],
    ]
    for (const [declared, sent, message] of cases) {
      const both = new RegExp(`^/inputs/x ${message.source.startsWith('is') ? '' : '.*'}${message.source}`)
      await refused(valueFor(declared, sent), both)
    }
  })

  test('counts characters, not units of UTF-16', async () => {
    assert.equal(await valueFor({ type: 'text', max_length: 2 }, '🌳🌳'), '🌳🌳')
    await refused(valueFor({ type: 'text', max_length: 2 }, '🌳🌳🌳'), /at most 2 characters/)
    const long = 'x'.repeat(limits.messageLength + 1)
    await refused(valueFor({ type: 'paragraph' }, long), /at most 100000 characters/)
  })

  test('of a file is the file, whatever form its id has', async () => {
    const file = {
      ...{ file_id: 'file_a', id: 'file_a', name: 'Menu.PDF', type: 'document' },
      ...{ mime_type: 'application/pdf', extension: '.pdf', size: 3, url: '/api/v1/files/file_a' },
    }
    for (const sent of ['file_a', { file_id: 'file_a' }, { id: 'file_a', name: 'other' }])
      assert.deepEqual(await valueFor({ type: 'file' }, sent), file)
    const list = (await valueFor({ type: 'files' }, ['file_b', { id: 'file_c' }])) as Declared[]
    assert.deepEqual(
      list.map(({ id, type, extension }) => [id, type, extension]),
      [
        ['file_b', 'image', ''],
        ['file_c', 'other', '.bin'],
      ],
    )
    assert.equal(((await valueFor({ type: 'files' }, 'file_a')) as Declared[]).length, 1)
    await refused(valueFor({ type: 'file' }, 'file_x'), /^\/inputs\/x refers to a file that does not exist/)
  })
})

describe('the inputs of a run', () => {
  test('keep what has no variable, and report every problem by its name', async () => {
    const declared = [
      { name: 'city', type: 'text', required: true },
      { name: 'days', type: 'number' },
    ]
    assert.deepEqual(await resolve(declared, { city: 'Rome', extra: { a: 1 } }), {
      city: 'Rome',
      extra: { a: 1 },
    })
    const problems = [/^\/inputs\/city is required$/, /^\/inputs\/days must be a number, but is "x"$/]
    await refused(resolve(declared, { days: 'x' }), ...problems)
  })

  test('look up no files where no variable has one, and names of objects are only names', async () => {
    const never = async () => assert.fail('nothing to look up')
    const variables = readVariables({ variables: [{ name: 'constructor', type: 'text' }] })
    assert.deepEqual({ ...(await resolveVariables(variables, {}, never)) }, { constructor: '' })
  })

  test('have one variable for each name', () => {
    const variables = [
      { name: 'a', type: 'number', label: 'A', required: true, max_length: null },
      { name: 'a', type: 'text' },
      { type: 'text' },
    ]
    assert.deepEqual(readVariables({ variables }), [
      {
        ...{ name: 'a', type: 'number', label: 'A', description: '', required: true },
        ...{ default: null, options: [], max_length: null },
      },
    ])
  })
})
