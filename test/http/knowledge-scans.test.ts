import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { silentRecording } from '../../src/models/model-tester.ts'
import { makeDamagedPdf } from '../support/documents/make-pdf.ts'
import { makeBmp, makeImage, makeScan, makeTiff } from '../support/documents/make-scan.ts'
import { dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

type Json = Awaited<ReturnType<typeof dataOf>>

/** Uploads files into a new base, waits for the ingestion, and returns the base and its documents in order. */
async function ingest(server: TestServer, files: [name: string, content: Uint8Array][]) {
  const { api } = server
  const base = await makeBase(api, { embedding: null })
  const ids: string[] = []
  for (const [name, content] of files) ids.push((await dataOf(api.upload(name, content, ''))).file_id)
  await dataOf(api.post(`knowledge/${base}`, { file_ids: ids }))
  await whenIngested(api, base)
  const { items } = await dataOf(api.get(`knowledge/${base}/files?page_size=100`))
  return { base, documents: ids.map(id => items.find((item: Json) => item.file_id === id)) as Json[] }
}

const chunksOf = async ({ api }: TestServer, base: string, document: Json): Promise<Json[]> =>
  (await dataOf(api.get(`knowledge/${base}/files/${document.file_id}/chunks?page_size=100`))).items

interface ImageBody {
  messages: { content: { type: string; image_url?: { url: string } }[] }[]
}

/** A word that stands for the image of a request. */
function wordOf(body: unknown): string {
  const parts = (body as ImageBody).messages.at(-1)!.content
  const { url } = parts.find(part => part.type === 'image_url')!.image_url!
  assert.match(url, /^data:image\/jpeg;base64,\/9j/)
  return `seen${createHash('sha256').update(url).digest('hex').slice(0, 12)}`
}

describe('scans, images and recordings', () => {
  let model: ScriptedModel
  let server: TestServer
  before(async () => {
    model = await startScriptedModel()
    server = await startTestServer({ ...model.environment, OCR_MODEL: 'eyes' })
  })
  after(async () => {
    await server.stop()
    await model.stop()
  })
  beforeEach(() => {
    model.reset()
    model.play(body => ({ text: `# Recognised\n\n${wordOf(body)} was on the page.` }))
  })

  test('scanned pages of a mixed PDF are recognised, once', async () => {
    const scan = await makeScan(['Chapter one has its own text.', 11, null, 'Chapter two as well.', 12])
    const { base, documents } = await ingest(server, [['mixed.pdf', scan]])
    assert.equal(documents[0].status, 'ready', JSON.stringify(documents[0].error))
    assert.deepEqual(documents[0].recognition, { pages_done: 3, pages_total: 3 })
    const chunks = await chunksOf(server, base, documents[0])
    const text = chunks.map(chunk => chunk.content).join('\n')
    assert.match(text, /Chapter one[\s\S]*seen\w{12}[\s\S]*Chapter two[\s\S]*seen\w{12}/)
    assert.equal(model.calls.chat.length, 2)
    assert.equal(model.calls.chat[0]!.body.model, 'eyes')
    assert.equal(model.calls.chat[0]!.headers.authorization, `Bearer ${model.apiKey}`)

    const again = await ingest(server, [['copy.pdf', scan]])
    assert.equal(again.documents[0].status, 'ready')
    assert.equal(model.calls.chat.length, 2)
  })

  test('images of all formats become documents', async () => {
    const gif = Buffer.from(
      // Two pixels, black and white.
      'R0lGODdhAgABAIABAAAAAP///ywAAAAAAgABAAACAkQKADs=',
      'base64',
    )
    const { documents } = await ingest(server, [
      ['a.png', makeImage(1)],
      ['b.jpg', makeImage(2, 'jpeg')],
      ['c.webp', makeImage(3, 'webp')],
      ['d.bmp', makeBmp()],
      ['e.gif', new Uint8Array(gif)],
      ['large.png', makeImage(4, 'png', [2600, 200])],
    ])
    for (const document of documents)
      assert.equal(document.status, 'ready', `${document.name} ${JSON.stringify(document.error)}`)
    assert.equal(model.calls.chat.length, 6)
  })

  test('the pages of a TIFF file are numbered', async () => {
    const { base, documents } = await ingest(server, [['fax.tiff', makeTiff([0, 60, 120])]])
    assert.equal(documents[0].status, 'ready', JSON.stringify(documents[0].error))
    const chunks = await chunksOf(server, base, documents[0])
    assert.equal(model.calls.chat.length, 3)
    assert.equal(chunks[0].page, 1)
    assert.deepEqual(documents[0].recognition, { pages_done: 3, pages_total: 3 })
  })

  test('a temporary failure of the model delays a document', async () => {
    let calls = 0
    model.play(body => (++calls <= 4 ? { status: 503 } : { text: wordOf(body) }))
    const { documents } = await ingest(server, [['late.png', makeImage(21)]])
    assert.equal(documents[0].status, 'ready', JSON.stringify(documents[0].error))
    assert.equal(calls, 5)
  })

  test('a model that cannot see images fails the document', async () => {
    model.play(() => ({ status: 400, message: 'This model does not support image input.' }))
    const { documents } = await ingest(server, [['unseen.png', makeImage(22)]])
    assert.equal(documents[0].status, 'failed')
    assert.equal(documents[0].error.code, 'recognition_failed')
    assert.equal(model.calls.chat.length, 1)
  })

  test('an image without text, a damaged one and one of too many pixels fail with their reasons', async () => {
    model.play(() => ({ text: '<no-text/>' }))
    const huge = Buffer.from(makeImage(23))
    huge.writeUInt32BE(20_000, 16)
    huge.writeUInt32BE(20_000, 20)
    const { documents } = await ingest(server, [
      ['photo.png', makeImage(24)],
      ['damaged.png', makeImage(25).slice(0, 200)],
      ['huge.png', new Uint8Array(huge)],
    ])
    assert.deepEqual(
      documents.map(document => document.error.code),
      ['no_text', 'broken_file', 'too_large'],
    )
  })

  test('recordings are transcribed, once', async () => {
    model.playTranscription(() => ({ json: { text: 'The banyan grows in the yard.' } }))
    const { bytes } = silentRecording()
    const { base, documents } = await ingest(server, [['memo.wav', new Uint8Array(bytes)]])
    assert.equal(documents[0].status, 'ready', JSON.stringify(documents[0].error))
    const [chunk] = await chunksOf(server, base, documents[0])
    assert.equal(chunk.content, 'The banyan grows in the yard.')
    await ingest(server, [['memo again.wav', new Uint8Array(bytes)]])
    assert.equal(model.calls.transcription.length, 1)
    assert.equal(model.calls.transcription[0]!.file.name, 'memo.wav')
  })
})

test('a rejected key is reported with its setting', async () => {
  const model = await startScriptedModel()
  const { MODEL_BASE_URL = '' } = model.environment
  const server = await startTestServer({
    OCR_BASE_URL: MODEL_BASE_URL,
    OCR_API_KEY: 'old',
    OCR_MODEL: 'eyes',
  })
  try {
    model.play(() => ({ status: 401, message: 'Incorrect API key' }))
    const { documents } = await ingest(server, [['scan.pdf', await makeScan([36])]])
    assert.equal(documents[0].error.code, 'recognition_failed')
    assert.match(documents[0].error.message, /\(401\)\. Check OCR_API_KEY\./)
  } finally {
    await server.stop()
    await model.stop()
  }
})

test('without a recogniser, the failure explains how to set one up', async () => {
  const server = await startTestServer({ OCR: 'model' })
  try {
    const { documents } = await ingest(server, [
      ['scan.pdf', await makeScan([31])],
      ['photo.png', makeImage(32)],
      ['memo.wav', new Uint8Array(silentRecording().bytes)],
      ['mixed.pdf', await makeScan(['Some text of its own.', 33])],
    ])
    assert.deepEqual(
      documents.map(document => document.error?.code ?? document.status),
      ['no_text', 'recognition_not_configured', 'transcription_not_configured', 'ready'],
    )
    // So that the console offers to process them again.
    for (const { error } of documents.slice(0, 3)) assert.equal(error.retryable, true)
    assert.match(documents[0].error.message, /OCR_MODEL.*@gutenye\/ocr-node/)
    assert.match(documents[1].error.message, /OCR_MODEL.*@gutenye\/ocr-node/)
    assert.match(documents[2].error.message, /TRANSCRIBE_MODEL/)
    for (const { warnings } of documents.slice(0, 3)) assert.deepEqual(warnings, [])
  } finally {
    await server.stop()
  }
})

test('without a recogniser, a document lists its unread pages until they are read', async () => {
  const model = await startScriptedModel()
  model.play(body => ({ text: wordOf(body) }))
  const database = await migratedDatabase()
  let server = await startTestServer({ OCR: 'off' }, database)
  try {
    const stamped = { text: 'Copy', seed: 38 }
    const mixed = await makeScan(['Some text of its own.', 37, 38, 'More text.', stamped, null, 39])
    const { base, documents } = await ingest(server, [
      ['mixed.pdf', mixed],
      ['text.pdf', await makeScan(['Nothing but text.', null, 'Some more.'])],
      ['damaged.pdf', makeDamagedPdf()],
    ])
    const [{ message, ...warning }] = documents[0].warnings
    assert.equal(documents[0].status, 'ready')
    // Not the blank page.
    assert.deepEqual(warning, { code: 'recognition_not_configured', page_count: 4, pages: [2, 3, 5, 7] })
    assert.match(message, /^4 pages \(2–3, 5, 7\) .*OCR_MODEL.*@gutenye\/ocr-node/)
    assert.deepEqual([documents[1].status, documents[1].warnings], ['ready', []])
    const [{ message: damage, ...damaged }] = documents[2].warnings
    assert.deepEqual(damaged, { code: 'broken_file', page_count: 1, pages: [2] })
    assert.match(damage, /^Page 2 was not read: it is damaged\. /)

    await server.stop()
    server = await startTestServer({ ...model.environment, OCR_MODEL: 'eyes' }, database)
    const { file_id } = documents[0]
    await dataOf(server.api.post(`knowledge/${base}/rebind`, { file_ids: [file_id] }))
    await whenIngested(server.api, base)
    const { items } = await dataOf(server.api.get(`knowledge/${base}/files`))
    const again = items.find((item: Json) => item.file_id === file_id)
    assert.deepEqual([again.status, again.warnings], ['ready', []])
  } finally {
    await server.stop()
    await model.stop()
    await database.drop()
  }
})
