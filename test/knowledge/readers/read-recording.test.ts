import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createRecordingSplitter } from '../../../src/adapters/workers/recording-splitter.ts'
import { readRecording } from '../../../src/knowledge/ingest/readers/audio/read-recording.ts'
import { splitMp3 } from '../../../src/knowledge/ingest/readers/audio/split-mp3.ts'
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

/** A model that numbers what it is sent. */
const makeMedia = (): { media: MediaReader; sent: Extract<Medium, { kind: 'recording' }>[] } => {
  const sent: Extract<Medium, { kind: 'recording' }>[] = []
  const read: MediaReader['read'] = async medium => {
    sent.push(medium.kind === 'recording' ? medium : assert.fail())
    return { form: 'plain', text: `This is part ${sent.length}.` }
  }
  return { media: { startPages: async () => true, skipPage: () => {}, read }, sent }
}

const frameBytes = 104
const framesPerSecond = 44_100 / 1152

/** A frame of MPEG 1, layer III, 32 kbit/s, 44,100 samples a second, mono; `gain` is its loudness, 0 is silence. */
const makeFrame = (gain: number, marker = 0): Buffer => {
  const frame = Buffer.alloc(frameBytes)
  frame.set([0xff, 0xfb, 0x10, 0xc0])
  // The side information: 18 bits, the length of the sound (12), big values (9), gain (8).
  if (gain > 0) frame[4 + 3] = 0x80
  frame[4 + 4] = gain >> 7
  frame[4 + 5] = (gain << 1) & 0xff
  frame.writeUInt32BE(marker, 60)
  return frame
}

const numbersOf = (part: Uint8Array): number[] =>
  Array.from({ length: part.byteLength / frameBytes }, (_, index) =>
    Buffer.from(part).readUInt32BE(index * frameBytes + 60),
  )

describe('a recording over the limit of the model', () => {
  it('is split where it is quiet, if it is WAV', async () => {
    const wav = makeWav(16, second => second >= 7 && second < 7.5)
    const { media, sent } = makeMedia()
    const file = { name: 'a.wav', mimeType: 'audio/wav', bytes: wav }
    assert.deepEqual(await blocksOf(readRecording(file, media, undefined, maxBytes)), [
      { kind: 'paragraph', text: 'This is part 1.' },
      { kind: 'paragraph', text: 'This is part 2.' },
    ])
    const parts = sent.map(({ bytes }) => Buffer.from(bytes))
    assert.ok(parts.every(part => part.length <= maxBytes && part.readUInt32LE(40) === part.length - 44))
    assert.deepEqual(Buffer.concat(parts.map(part => part.subarray(44))), Buffer.from(wav).subarray(44))
    const end = (parts[0]!.length - 44) / 2000
    assert.ok(end >= 6.9 && end <= 7.5, `split at ${end} s`)
  })

  it('is split between frames where it is quiet, if it is MP3', async () => {
    const count = 1000
    const quiet = Math.round(11 * framesPerSecond)
    const frames = Array.from({ length: count }, (_, index) =>
      makeFrame(Math.abs(index - quiet) < 5 ? 0 : 200, index),
    )
    const table = makeFrame(0)
    table.write('Xing', 36, 'latin1')
    const tag = Buffer.alloc(10 + 300, 0xff)
    tag.set([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 2, 44])
    const garbage = Buffer.from('not a frame \xff\xfb\x10 but noise', 'latin1')
    const bytes = Buffer.concat([tag, table, ...frames.slice(0, 100), garbage, ...frames.slice(100)])
    const limit = 500 * frameBytes
    const { media, sent } = makeMedia()
    const file = { name: 'a.mp3', mimeType: 'audio/mpeg', bytes }
    const blocks = await blocksOf(readRecording(file, media, undefined, limit))
    assert.equal(blocks.length, 3)
    assert.ok(sent.every(part => part.bytes.byteLength <= limit && part.mimeType === 'audio/mpeg'))
    const [first, ...rest] = sent.map(({ bytes }) => bytes)
    const rejoined = Buffer.concat([
      first!.subarray(0, 100 * frameBytes),
      first!.subarray(100 * frameBytes + garbage.length),
      ...rest,
    ])
    assert.deepEqual(
      numbersOf(rejoined),
      Array.from({ length: count }, (_, index) => index),
      'no frame is lost',
    )
    const end = (first!.byteLength - garbage.length) / frameBytes
    assert.ok(Math.abs(end - quiet) <= 5, `split at frame ${end} instead of ${quiet}`)
  })

  it('that is damaged has no parts', () => {
    const wav = makeWav(1, () => false)
    wav.fill(0, 32, 34)
    assert.deepEqual([...splitWav(wav, 1000)], [])
    assert.deepEqual([...splitWav(wav.subarray(0, 30), 1000)], [])
    assert.deepEqual([...splitMp3(new Uint8Array(5000), 1000)], [])
    assert.deepEqual([...splitMp3(Buffer.concat([makeFrame(1), makeFrame(1)]), 50)], [])
    assert.deepEqual([...splitMp3(new Uint8Array(5000).fill(0xff), 1000)], [])
  })

  describe('of another format', () => {
    let folder = ''
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'splitter-'))
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    /** A command that is called like ffmpeg; `$out` is the output folder. */
    const command = (name: string, body: string): string => {
      const path = join(folder, name)
      writeFileSync(
        path,
        `#!/bin/sh\necho "$@" > "${folder}/arguments"\nfor last; do :; done\nout=$(dirname "$last")\n${body}\n`,
      )
      chmodSync(path, 0o755)
      return path
    }

    const file = { name: 'talk.m4a', mimeType: 'audio/x-m4a', bytes: new Uint8Array(maxBytes + 1) }
    const { media, sent } = makeMedia()
    const read = (ffmpeg: string, recording = file) =>
      readRecording(recording, media, createRecordingSplitter(ffmpeg), maxBytes)

    it('is split by ffmpeg', async () => {
      const ffmpeg = command(
        'works',
        'printf one > "$out/part000000.wav"; printf two > "$out/part000001.wav"',
      )
      assert.equal((await blocksOf(read(ffmpeg))).length, 2)
      assert.deepEqual(
        sent.map(part => [part.mimeType, Buffer.from(part.bytes).toString()]),
        [
          ['audio/wav', 'one'],
          ['audio/wav', 'two'],
        ],
      )
      const given = readFileSync(join(folder, 'arguments'), 'utf8')
      assert.match(given, /-protocol_whitelist file -f mov -i \S+banyan-split-/, 'the format is not guessed')
    })

    it('fails with advice where ffmpeg is not installed, or cannot read it', async () => {
      await assertRefused(read(join(folder, 'missing')), 'recording_too_large', /ffmpeg.*FFMPEG_PATH.*MP3/)
      await assertRefused(readRecording(file, media, undefined, maxBytes), 'recording_too_large')
      await assertRefused(read(command('fails', 'exit 1')), 'broken_file', /ffmpeg/)
      const unknown = { ...file, mimeType: 'audio/unknown' }
      await assertRefused(read(command('unused', 'exit 1'), unknown), 'recording_too_large')
    })
  })
})
