import type { ModelCaller } from './model-caller.ts'

/** Converts speech to text. */
export interface Transcriber {
  /** Fails with a `ModelFailure`. */
  transcribe(
    audio: { name: string; mimeType: string; bytes: Uint8Array },
    caller: ModelCaller,
  ): Promise<string>
}
