/** Why a document could not be ingested; `retryable`: another attempt without a change can succeed. */
export const documentFailures = {
  unsupported_format: { retryable: false, meaning: 'This type of file is not supported.' },
  broken_file: { retryable: false, meaning: 'The file is damaged, or its content does not match its name.' },
  encrypted: { retryable: false, meaning: 'The file is protected by a password.' },
  converter_not_installed: {
    retryable: true,
    meaning: 'The file is from an old version of Office (DOC, XLS, PPT), and LibreOffice is not installed.',
  },
  conversion_timed_out: {
    retryable: true,
    meaning:
      'LibreOffice or ffmpeg had too little processor time to convert the file, several times in a row: the server is busy.',
  },
  recording_too_large: {
    retryable: true,
    meaning:
      'The recording exceeds the limit of the transcription model (25 MiB), is neither MP3 nor WAV, and ffmpeg is not installed.',
  },
  no_text: {
    retryable: false,
    meaning:
      'The file contains no text, for example because it is a scan and no text recognition is set up. A scan can be processed again once text recognition is set up.',
  },
  unknown_encoding: {
    retryable: false,
    meaning: 'The text encoding could not be recognised.',
  },
  too_large: { retryable: false, meaning: 'The file, or its unpacked content, exceeds the limits.' },
  too_complex: { retryable: false, meaning: 'Processing exceeded the limit for memory or time.' },
  file_missing: { retryable: false, meaning: 'The file no longer exists.' },
  file_damaged: {
    retryable: false,
    meaning:
      'The stored content of the file is damaged or lost. Upload the same file again, then process the document again.',
  },
  embedding_not_configured: {
    retryable: true,
    meaning: 'No embedding model is configured for this knowledge base.',
  },
  embedding_failed: { retryable: true, meaning: 'The embedding model failed repeatedly.' },
  recognition_not_configured: {
    retryable: true,
    meaning: 'The file is an image, and no text recognition (OCR) is set up.',
  },
  recognition_failed: { retryable: true, meaning: 'Text recognition (OCR) failed repeatedly.' },
  transcription_not_configured: {
    retryable: true,
    meaning: 'The file is a recording, and no transcription model is configured.',
  },
  transcription_failed: { retryable: true, meaning: 'The transcription model failed repeatedly.' },
  embedding_changed: {
    retryable: false,
    meaning: 'The embedding model returned vectors with another dimension than before.',
  },
  interrupted: {
    retryable: true,
    meaning: 'The server stopped three times while it processed this document.',
  },
  internal: { retryable: true, meaning: 'An internal error. See the server log.' },
} as const

export type DocumentFailureCode = keyof typeof documentFailures

export class DocumentFailure extends Error {
  readonly code: DocumentFailureCode
  readonly retryable: boolean

  /** `retryable` is given where it differs from other failures with this code. */
  constructor(
    code: DocumentFailureCode,
    message: string,
    options: { cause?: unknown; retryable?: boolean | undefined } = {},
  ) {
    super(message, options)
    this.name = 'DocumentFailure'
    this.code = code
    this.retryable = options.retryable ?? documentFailures[code].retryable
  }
}
