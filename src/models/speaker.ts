import type { ModelCaller } from './model-caller.ts'

/** Converts text to speech. */
export interface Speaker {
  /** Fails with a `ModelFailure`. */
  speak(text: string, caller: ModelCaller): Promise<{ mimeType: string; bytes: Uint8Array }>
}
