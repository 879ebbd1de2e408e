/** Converts speech to text. */
export interface Transcriber {
  /** Fails with a `ModelFailure`. */
  transcribe(
    audio: { name: string; mimeType: string; bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<string>
}
