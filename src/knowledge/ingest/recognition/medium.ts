/** Content without text of its own. Reader threads send it to the main thread, which knows the models. */
export type Medium =
  | { kind: 'page'; jpeg: Uint8Array<ArrayBuffer> }
  | { kind: 'recording'; name: string; mimeType: string; bytes: Uint8Array<ArrayBuffer> }

type TextForm = 'plain' | 'markdown'

export interface RecognisedText {
  form: TextForm
  text: string
}

/** The services that a reader can use while it reads one document. */
export interface MediaReader {
  /** Called before pages are rendered; false if nothing can recognise them. A total of 0 only asks for that. */
  startPages(total: number): Promise<boolean>
  /** Counts an empty page as done. */
  skipPage(): void
  /** Fails with a `DocumentFailure` or a `RecognitionFailure`. */
  read(medium: Medium): Promise<RecognisedText>
}

export interface DocumentMedia {
  canRecognise(): Promise<boolean>
  read(medium: Medium, signal: AbortSignal): Promise<RecognisedText>
}

/** Recognises the text of page images: a vision model, or local models. */
export interface TextRecogniser {
  /** Part of the key of cached texts: another recogniser finds another text. */
  readonly id: string
  readonly form: TextForm
  /** Fails with a `ModelFailure`. */
  recognise(jpeg: Uint8Array, caller: { workspaceId: string; signal: AbortSignal }): Promise<string>
}

/** Advice for servers without a recogniser. */
export const howToRecognise =
  'To turn on text recognition, set OCR_MODEL to a vision model, or run "npm install --no-save @gutenye/ocr-node" on the server and restart it. Then process the document again.'
