import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import type { SplitRecording } from '../../knowledge/ingest/readers/audio/read-recording.ts'
import { type ConversionTime, isNotInstalled, runConverter } from './run-converter.ts'

/** The reader of ffmpeg for a type. It is never guessed: a playlist would make ffmpeg open other files. */
const demuxers: [type: RegExp, demuxer: string][] = [
  [/^audio\/(?:x-m4a|mp4)$|^video\/mp4$/, 'mov'],
  [/^(?:audio|video)\/webm$/, 'matroska'],
  [/^audio\/(?:ogg|opus)$/, 'ogg'],
  [/^audio\/(?:x-)?flac$/, 'flac'],
  [/^audio\/aac$/, 'aac'],
  [/^audio\/mpeg$/, 'mp3'],
  [/^audio\/(?:wav|vnd\.wave|x-wav)$/, 'wav'],
]

/** 16,000 samples of 16 bits: what models of speech recognition work with. */
const hertz = 16_000
const bytesPerSecond = hertz * 2
const headBytes = 4096

/** Splits with ffmpeg, in a process of its own for each recording. */
export const createRecordingSplitter = (ffmpeg: string, time: ConversionTime = {}): SplitRecording =>
  async function* split({ mimeType, bytes }, maxBytes) {
    const demuxer = demuxers.find(([type]) => type.test(mimeType))?.[1]
    if (demuxer === undefined) return
    const home = await mkdtemp(join(tmpdir(), 'banyan-split-'))
    try {
      const input = join(home, 'input')
      const output = join(home, 'output')
      await mkdir(output)
      await writeFile(input, bytes)
      const seconds = Math.max(1, Math.floor((maxBytes - headBytes) / bytesPerSecond))
      const code = await runConverter({
        command: [
          ...[ffmpeg, '-nostdin', '-loglevel', 'error', '-protocol_whitelist', 'file'],
          ...['-f', demuxer, '-i', input],
          ...['-map', '0:a:0', '-t', String(limits.recordingSeconds + 1), '-ac', '1', '-ar', String(hertz)],
          ...['-c:a', 'pcm_s16le', '-f', 'segment', '-segment_time', String(seconds)],
          ...['-segment_format', 'wav', join(output, 'part%06d.wav')],
        ],
        home,
        failure: 'ffmpeg could not split the recording',
        advice: 'Split it and upload the parts.',
        ...time,
      })
      if (isNotInstalled(code)) return
      const parts = (await readdir(output)).sort()
      if (parts.length === 0)
        throw new DocumentFailure(
          'broken_file',
          'ffmpeg could not read the recording: it is damaged or has no sound.',
        )
      if (parts.length * seconds > limits.recordingSeconds + seconds)
        throw new DocumentFailure(
          'too_large',
          `The recording is longer than ${limits.recordingSeconds / 3600} hours. Split it and upload the parts.`,
        )
      for (const part of parts) yield new Uint8Array(await readFile(join(output, part)))
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    }
  }
