import { limits } from '../../../../contract/limits.ts'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { MediaReader } from '../../recognition/medium.ts'
import { blocksOfText } from '../images/recognise-pages.ts'
import { splitWav } from './split-wav.ts'

/** The transcript of a recording. One that is too large for the model is sent in parts, if it is WAV. */
export async function* readRecording(
  { name, mimeType, bytes }: { name: string; mimeType: string; bytes: Uint8Array },
  media: MediaReader | undefined,
  maxBytes = limits.voiceBytes,
): AsyncGenerator<Block> {
  if (!media)
    throw new DocumentFailure('transcription_not_configured', 'No transcription model is configured.')
  // Copied, because its buffer is transferred to another thread.
  const parts = bytes.byteLength > maxBytes ? splitWav(bytes, maxBytes) : [new Uint8Array(bytes)]
  let count = 0
  for (const part of parts) {
    count++
    yield* await blocksOfText(await media.read({ kind: 'recording', name, mimeType, bytes: part }))
  }
  if (count === 0)
    throw new DocumentFailure(
      'recording_too_large',
      `The recording has ${Math.ceil(bytes.byteLength / 2 ** 20)} MiB; the limit of transcription is ${maxBytes >> 20} MiB. Split it, compress it, for example as MP3, or save it as WAV, which is split automatically.`,
    )
}
