import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/database/database.ts'
import { DocumentFailure } from '../../src/knowledge/ingest/document-failure.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { startTestServer } from '../support/test-server.ts'
import { documentOf, until } from '../support/watch.ts'

test('a file that a busy server could not convert in time is retried a limited number of times', async () => {
  let isBusy = true
  let database: Database | undefined
  const server = await startTestServer({}, undefined, adapters => {
    const { workers } = adapters
    const read = workers.read.bind(workers)
    database = adapters.database
    workers.read = async (...given) => {
      if (isBusy) throw new DocumentFailure('conversion_timed_out', 'It took too long. Try again later.')
      return read(...given)
    }
  })
  try {
    const { api } = server
    const id = await makeBase(api)
    const { items } = await dataOf(
      api.post(`knowledge/${id}`, { texts: [{ name: 'a.txt', content: 'Oolong tea' }] }),
    )
    const file = items[0].file_id
    // Instead of the pauses of a minute.
    const hurry = (): Promise<number> =>
      database!.transaction(transaction =>
        transaction.run('UPDATE readings SET due_at = 1 WHERE lease IS NULL'),
      )
    for (let attempt = 1; attempt <= 4; attempt++) {
      const { status, error } = await until(`attempt ${attempt} is over`, async () => {
        const document = await documentOf(api, id, file)
        return document.attempts === attempt && document.error ? document : undefined
      })
      assert.deepEqual([status, error.code, error.retryable], ['queued', 'conversion_timed_out', true])
      await hurry()
    }
    await whenIngested(api, id)
    const failed = await documentOf(api, id, file)
    assert.deepEqual(
      [failed.status, failed.error.code, failed.error.retryable, failed.attempts],
      ['failed', 'conversion_timed_out', true, 5],
    )
    isBusy = false
    assert.deepEqual(await dataOf(api.post(`knowledge/${id}/rebind`, {})), { accepted: [file], skipped: [] })
    await whenIngested(api, id)
    assert.equal((await documentOf(api, id, file)).status, 'ready')
  } finally {
    await server.stop()
  }
})

test('a text is ingested while many files of the workspace are converted', async () => {
  const converted = Promise.withResolvers<void>()
  const server = await startTestServer({ INGEST_WORKERS: '2' }, undefined, ({ workers }) => {
    const read = workers.read.bind(workers)
    workers.read = async (file, take, signal) => {
      if (file.mimeType !== 'application/msword') return read(file, take, signal)
      await converted.promise
      throw new DocumentFailure('broken_file', 'It is damaged.')
    }
  })
  try {
    const { api } = server
    const id = await makeBase(api)
    const header = Buffer.from('d0cf11e0a1b11ae1', 'hex')
    const files: string[] = []
    for (let number = 0; number < 6; number++)
      files.push((await dataOf(api.upload(`${number}.doc`, Buffer.from([...header, number]), ''))).file_id)
    await dataOf(api.post(`knowledge/${id}`, { file_ids: files }))
    const texts = [{ name: 'a.txt', content: 'Oolong tea' }]
    const { items } = await dataOf(api.post(`knowledge/${id}`, { texts }))
    await until('the text is ready', async () => {
      const { status } = await documentOf(api, id, items[0].file_id)
      return status === 'ready' || undefined
    })
    converted.resolve()
    await whenIngested(api, id)
  } finally {
    converted.resolve()
    await server.stop()
  }
})
