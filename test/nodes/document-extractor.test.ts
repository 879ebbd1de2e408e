import assert from 'node:assert/strict'
import test from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { documentExtractor } from '../../src/nodes/document-extractor.ts'
import type { TextRequest } from '../../src/nodes/node-services.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

const fileOf = (id: string) => ({ file_id: id, name: `${id}.txt`, mime_type: 'text/plain', size: 1 })
const stored = ['file_1', 'file_2']
const texts: Record<string, string> = { file_1: 'one', file_2: 'two' }

const extract = (files: unknown, extractText = async ({ fileId }: TextRequest) => texts[fileId]!) =>
  outputsOf(
    documentExtractor,
    fakeStep({ values: { 'a.file': fileOf('file_1'), 'a.files': stored.map(fileOf) } }),
    { files },
    {
      findFiles: async (_, ids) => ids.filter(id => stored.includes(id)).map(fileOf),
      extractText: (_, request) => extractText(request),
    },
  )

test('one file gives its text, a list gives a list', async () => {
  const one = { text: 'one', result: 'one', texts: ['one'], files: [fileOf('file_1')] }
  assert.deepEqual(await extract('{{#a.file#}}'), one)
  assert.deepEqual(await extract('file_1'), one)
  const both = {
    text: 'one\n\ntwo',
    result: ['one', 'two'],
    texts: ['one', 'two'],
    files: stored.map(fileOf),
  }
  assert.deepEqual(await extract('{{#a.files#}}'), both)
  assert.deepEqual(await extract(['{{#a.file#}}', { id: 'file_2' }, 'file_1']), both)
})

test('no file gives no text', async () => {
  const none = { text: '', texts: [], files: [] }
  assert.deepEqual(await extract('{{#skipped.files#}}'), { ...none, result: '' })
  assert.deepEqual(await extract([]), { ...none, result: [] })
})

test('a value that is no file, or a file that cannot be read, fails the step with the reason', async () => {
  const failed = (message: RegExp) => ({ name: 'StepFailure', message })
  await assert.rejects(extract(['file_1', 5]), failed(/needs files or their ids, but has "5"/))
  await assert.rejects(extract('file_gone'), failed(/does not exist: "file_gone"/))
  const many = Array.from({ length: 101 }, (_, at) => `file_${at}`)
  await assert.rejects(extract(many), failed(/101 files; at most 100 are allowed/))
  const unreadable = async () => {
    throw new AppError('unsupported_media_type', 'a.zip cannot be read: …')
  }
  await assert.rejects(extract('file_1', unreadable), failed(/a\.zip cannot be read/))
})

test('all files together have a maximum length, and none is read beyond it', async () => {
  const limits: number[] = []
  const long = async ({ maxLength }: TextRequest) => {
    limits.push(maxLength)
    return 'x'.repeat(600_000)
  }
  await assert.rejects(extract('{{#a.files#}}', long), { message: /more than 1000000 characters/ })
  assert.deepEqual(limits, [1_000_000, 400_000])
})
