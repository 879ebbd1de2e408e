import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readRecording } from '../../../src/knowledge/ingest/readers/audio/read-recording.ts'
import { splitWav } from '../../../src/knowledge/ingest/readers/audio/split-wav.ts'
import type { MediaReader, Medium } from '../../../src/knowledge/ingest/recognition/medium.ts'
import { assertRefused, blocksOf } from '../../support/documents/read-blocks.ts'

/** 16-bit mono at 1,000 samples a second: loud, with a silence where `isQuiet`. */
const makeWav = (seconds: number, isQuiet: (second: number) => boolean): Uint8Array => {
  const samples = seconds * 1000
  const wav = Buffer.alloc(44 + samples * 2)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(1000, 24)
  wav.writeUInt32LE(2000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++) wav.writeInt16LE(isQuiet(at / 1000) ? 0 : 20_000, 44 + at * 2)
  return new Uint8Array(wav)
}

const maxBytes = 44 + 20_000

describe('a recording over the limit of the model', () => {
  it('is split where it is quiet, if it is WAV', async () => {
    const wav = makeWav(16, second => second >= 7 && second < 7.5)
    const sent: Medium[] = []
    const media: MediaReader = {
      startPages: async () => true,
      skipPage: () => {},
      read: async medium => {
        sent.push(medium)
        return { form: 'plain', text: `This is part ${sent.length}.` }
      },
    }
    const file = { name: 'a.wav', mimeType: 'audio/wav', bytes: wav }
    assert.deepEqual(await blocksOf(readRecording(file, media, maxBytes)), [
      { kind: 'paragraph', text: 'This is part 1.' },
      { kind: 'paragraph', text: 'This is part 2.' },
    ])
    const parts = sent.map(medium =>
      medium.kind === 'recording' ? Buffer.from(medium.bytes) : assert.fail(),
    )
    assert.ok(parts.every(part => part.length <= maxBytes && part.readUInt32LE(40) === part.length - 44))
    assert.deepEqual(Buffer.concat(parts.map(part => part.subarray(44))), Buffer.from(wav).subarray(44))
    const end = (parts[0]!.length - 44) / 2000
    assert.ok(end >= 6.9 && end <= 7.5, `split at ${end} s`)
    const file2 = { name: 'a.mp3', mimeType: 'audio/mpeg', bytes: new Uint8Array(maxBytes + 1) }
    await assertRefused(
      readRecording(file2, media, maxBytes),
      'recording_too_large',
      /limit of transcription/,
    )
  })

  it('that is damaged has no parts', () => {
    const wav = makeWav(1, () => false)
    wav.fill(0, 32, 34)
    assert.deepEqual([...splitWav(wav, 1000)], [])
    assert.deepEqual([...splitWav(wav.subarray(0, 30), 1000)], [])
  })
})
