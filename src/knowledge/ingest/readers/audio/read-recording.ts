import { limits } from '../../../../contract/limits.ts'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import type { MediaReader } from '../../recognition/medium.ts'
import { blocksOfText } from '../images/recognise-pages.ts'

/** The transcript of a recording. */
export async function readRecording(
  { name, mimeType, bytes }: { name: string; mimeType: string; bytes: Uint8Array },
  media: MediaReader | undefined,
): Promise<Block[]> {
  if (bytes.byteLength > limits.voiceBytes)
    throw new DocumentFailure(
      'too_large',
      `The recording has ${Math.ceil(bytes.byteLength / 2 ** 20)} MiB; the limit of transcription is ${limits.voiceBytes >> 20} MiB. Split it, or compress it, for example as MP3.`,
    )
  if (!media)
    throw new DocumentFailure('transcription_not_configured', 'No transcription model is configured.')
  // Copied, because its buffer is transferred to another thread.
  return blocksOfText(await media.read({ kind: 'recording', name, mimeType, bytes: new Uint8Array(bytes) }))
}
