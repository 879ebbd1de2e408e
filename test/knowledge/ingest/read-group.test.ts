import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultChunking } from '../../../src/knowledge/chunking.ts'
import { readGroup } from '../../../src/knowledge/ingest/document-reader.ts'

test('a text with the name of another format is left to be read alone, where there are converters', async () => {
  const bytes = new Uint8Array(Buffer.from('Plain words of an old program.'))
  const names = ['note.txt', 'note.doc', 'photo.png', 'memo.mp3', 'mail.eml']
  const { files } = await readGroup(
    names.map(name => ({ name, mimeType: 'text/plain', bytes, chunking: defaultChunking, batchId: name })),
  )
  assert.deepEqual(
    files.map(file => Array.isArray(file) && file.length),
    [1, false, false, false, false],
  )
  assert.deepEqual(files.slice(1), [undefined, undefined, undefined, undefined])
})
