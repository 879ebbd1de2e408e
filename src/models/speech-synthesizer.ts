import type { ModelCaller } from './model-caller.ts'

/** Converts text to speech. */
export interface SpeechSynthesizer {
  /** Fails with a `ModelFailure`. */
  synthesize(text: string, caller: ModelCaller): Promise<{ mimeType: string; bytes: Uint8Array }>
}
