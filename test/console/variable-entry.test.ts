import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsInputs } from '../../console/src/pages/agents/chat/chat-turns.ts'
import {
  type InputVariable,
  initialEntry,
  maxFilesOf,
  readEntry,
  variablesIn,
} from '../../console/src/ui/variables/variable-entry.ts'

const variable = (more: Partial<InputVariable>): InputVariable => ({
  ...{ name: 'x', type: 'text', label: 'X', description: '', required: false },
  ...{ default: null, options: [], max_length: null },
  ...more,
})
const file = (more: object = {}) => ({ key: 1, name: 'a', fileId: 'file_1', isFailed: false, ...more })

describe('the entry of a form for an input variable', () => {
  test('begins with the default', () => {
    assert.equal(initialEntry(variable({ default: 'a' })), 'a')
    assert.equal(initialEntry(variable({ type: 'number', default: 2 })), '2')
    assert.equal(initialEntry(variable({ type: 'json', default: { a: 1 } })), '{\n  "a": 1\n}')
    assert.equal(initialEntry(variable({ type: 'checkbox' })), false)
    assert.equal(initialEntry(variable({ type: 'checkbox', default: true })), true)
    assert.deepEqual(initialEntry(variable({ type: 'file' })), [])
  })

  test('is read as a value of the type, or as a problem', () => {
    assert.deepEqual(readEntry(variable({}), ' '), {})
    assert.deepEqual(readEntry(variable({ required: true }), ' '), { problem: 'required' })
    assert.deepEqual(readEntry(variable({ max_length: 2 }), '🌳🌳'), { value: '🌳🌳' })
    assert.deepEqual(readEntry(variable({ max_length: 2 }), 'abc'), { problem: 'long' })
    assert.deepEqual(readEntry(variable({ type: 'number' }), '1.5'), { value: 1.5 })
    assert.deepEqual(readEntry(variable({ type: 'number' }), 'one'), { problem: 'number' })
    assert.deepEqual(readEntry(variable({ type: 'json' }), '[1]'), { value: [1] })
    assert.deepEqual(readEntry(variable({ type: 'json' }), '{'), { problem: 'json' })
    assert.deepEqual(readEntry(variable({ type: 'checkbox', required: true }), false), { value: false })
  })

  test('of files waits for their upload', () => {
    const one = variable({ type: 'file', required: true })
    assert.equal(maxFilesOf(one), 1)
    assert.deepEqual(readEntry(one, []), { problem: 'required' })
    assert.deepEqual(readEntry(one, [file()]), { value: 'file_1' })
    assert.deepEqual(readEntry(one, [file({ fileId: undefined })]), { problem: 'uploading' })
    const many = variable({ type: 'files' })
    assert.deepEqual(readEntry(many, [file(), file({ isFailed: true })]), { problem: 'failed' })
    assert.deepEqual(readEntry(many, [file(), file({ fileId: 'file_2' })]), { value: ['file_1', 'file_2'] })
    assert.deepEqual(readEntry(many, []), {})
  })

  test('comes from a declaration that may be unfinished', () => {
    const declared = [
      null,
      {},
      { name: 'a' },
      { name: 'a', type: 'number' },
      { name: 'b', type: 'select', options: ['x', 1] },
    ]
    const read = variablesIn({ variables: declared })
    assert.deepEqual(
      read.map(({ name, type, options }) => [name, type, options]),
      [
        ['a', 'text', []],
        ['b', 'select', ['x']],
      ],
    )
    assert.deepEqual(variablesIn({ variables: 5 }), [])
  })
})

test('a conversation asks for inputs until a message was accepted, and after a refusal', () => {
  const turn = { chatId: 'c', runId: undefined, userMessage: undefined, replies: [] }
  const failed = (message: string, isRecorded: boolean) =>
    ({ ...turn, phase: 'failed', failure: { reason: 'invalid_request', message, isRecorded } }) as const
  const ended = { ...turn, phase: 'ended' } as const
  assert.equal(needsInputs([]), true)
  assert.equal(needsInputs([failed('inputs.city is required', false)]), true)
  assert.equal(needsInputs([failed('unreachable', false)]), true)
  assert.equal(needsInputs([{ ...failed('unreachable', false), runId: 'run_1' }]), false, 'it is stored')
  assert.equal(needsInputs([{ ...turn, phase: 'sending' }]), false)
  assert.equal(needsInputs([ended]), false)
  assert.equal(needsInputs([ended, failed('The model failed', true)]), false)
  assert.equal(needsInputs([ended, failed('inputs.city is required', false)]), true)
})
