import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { createTranscriber } from '../../src/adapters/model/audio-models.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { heldTime } from './held-time.ts'

const caller = { workspaceId: 'w' }

const egress = createEgress({ allow: [] })
after(() => egress.close())

describe('transcription', () => {
  let provider: ScriptedModel
  before(async () => {
    provider = await startScriptedModel()
  })
  after(() => provider.stop())
  beforeEach(() => provider.reset())

  const open = (attemptMilliseconds = 5000) =>
    createTranscriber({
      egress,
      baseUrl: `${provider.origin}/v1/`,
      apiKey: provider.apiKey,
      model: 'ear',
      attemptMilliseconds,
      ...heldTime().timing,
    })
  const audio = { name: 'Gruß "1".ogg', mimeType: 'audio/ogg', bytes: Buffer.from('hello') }

  it('turns a recording into text', async () => {
    assert.equal(await open().transcribe(audio, caller), 'heard: hello')
    const call = provider.calls.transcription[0]!
    assert.equal(call.model, 'ear')
    assert.deepEqual(call.file, { name: 'Gruß "1".ogg', mimeType: 'audio/ogg', bytes: Buffer.from('hello') })
    assert.equal(call.headers.authorization, `Bearer ${provider.apiKey}`)
  })

  it('sends bytes as they are', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)
    await open().transcribe({ ...audio, bytes }, caller)
    assert.deepEqual(provider.calls.transcription[0]?.file.bytes, Buffer.from(bytes))
  })

  it('may return no text', async () => {
    provider.playTranscription(() => ({ json: { text: ' ' } }))
    assert.equal(await open().transcribe(audio, caller), '')
  })

  for (const plan of [
    { status: 503 },
    { status: 429 },
    { html: true },
    { drop: true },
    { json: { words: 1 } },
  ])
    it(`is retried after ${JSON.stringify(plan)}`, async () => {
      provider.playTranscription((_, count) => (count < 3 ? plan : undefined))
      assert.equal(await open().transcribe(audio, caller), 'heard: hello')
      assert.equal(provider.calls.transcription.length, 3)
    })

  it('fails with a message that names the setting and never the key', async () => {
    provider.playTranscription(() => ({ status: 401, message: `bad ${provider.apiKey}` }))
    await assert.rejects(open().transcribe(audio, caller), (error: Error) => {
      assert.equal(error.name, 'ModelFailure')
      assert.match(error.message, /Check TRANSCRIBE_API_KEY/)
      assert.ok(!error.message.includes(provider.apiKey))
      return true
    })
    assert.equal(provider.calls.transcription.length, 1)
  })

  it('times out, and can be aborted', async () => {
    provider.playTranscription(() => ({ hang: true }))
    await assert.rejects(open(50).transcribe(audio, caller), { name: 'ModelFailure', message: /in time/ })
    const reason = new Error('enough')
    const controller = new AbortController()
    provider.playTranscription(() => {
      controller.abort(reason)
      return { hang: true }
    })
    await assert.rejects(open().transcribe(audio, { ...caller, signal: controller.signal }), reason)
  })
})
