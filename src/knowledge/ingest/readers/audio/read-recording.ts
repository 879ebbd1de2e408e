import { limits } from '../../../../contract/limits.ts'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { MediaReader } from '../../recognition/medium.ts'
import { blocksOfText } from '../images/recognise-pages.ts'
import { splitMp3 } from './split-mp3.ts'
import { splitWav } from './split-wav.ts'

interface Recording {
  name: string
  mimeType: string
  bytes: Uint8Array
}

/** Splits a recording into WAV parts of at most `maxBytes`, with a program that knows its format. No parts without one. */
export type SplitRecording = (
  recording: Recording,
  maxBytes: number,
) => AsyncIterable<Uint8Array<ArrayBuffer>>

type Part = Recording & { bytes: Uint8Array<ArrayBuffer> }

const waveType = /^audio\/(?:wav|vnd\.wave|x-wav)$/

async function* partsOf(
  recording: Recording,
  maxBytes: number,
  split: SplitRecording | undefined,
): AsyncGenerator<Part> {
  const { name, mimeType, bytes } = recording
  // Copied, because its buffer is transferred to another thread.
  if (bytes.byteLength <= maxBytes) return yield { name, mimeType, bytes: new Uint8Array(bytes) }
  const parts =
    (mimeType === 'audio/mpeg' && splitMp3(bytes, maxBytes)) ||
    (waveType.test(mimeType) && splitWav(bytes, maxBytes)) ||
    []
  let count = 0
  for (const part of parts) {
    count++
    yield { name, mimeType, bytes: part }
  }
  if (count > 0 || !split) return
  for await (const part of split(recording, maxBytes))
    yield { name: `${name}.wav`, mimeType: 'audio/wav', bytes: part }
}

/** The transcript of a recording. A recording that is too large for the model is sent in parts. */
export async function* readRecording(
  recording: Recording,
  media: MediaReader | undefined,
  split?: SplitRecording,
  maxBytes = limits.voiceBytes,
): AsyncGenerator<Block> {
  if (!media)
    throw new DocumentFailure('transcription_not_configured', 'No transcription model is configured.')
  let count = 0
  for await (const part of partsOf(recording, maxBytes, split)) {
    count++
    yield* await blocksOfText(await media.read({ kind: 'recording', ...part }))
  }
  if (count === 0)
    throw new DocumentFailure(
      'recording_too_large',
      `The recording has ${Math.ceil(recording.bytes.byteLength / 2 ** 20)} MiB; the limit of transcription is ${maxBytes >> 20} MiB. To have recordings of this format split, install ffmpeg on the server, or set FFMPEG_PATH to its command. Or save it as MP3 or WAV, which are split without it.`,
    )
}
