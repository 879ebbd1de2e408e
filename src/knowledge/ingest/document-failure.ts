/**
 * Why a document could not be taken in. The code stays the same for programs, the message tells a person what to do,
 * `retryable` tells whether another try without a change can help.
 */
export const documentFailures = {
  unsupported_format: { retryable: false, meaning: 'The kind of file cannot be read.' },
  broken_file: { retryable: false, meaning: 'The file is damaged or is not what its name says.' },
  encrypted: { retryable: false, meaning: 'The file is protected with a password.' },
  no_text: { retryable: false, meaning: 'The file holds no text, for example a scan.' },
  unknown_encoding: {
    retryable: false,
    meaning: 'The text is in none of the encodings that are understood.',
  },
  too_large: { retryable: false, meaning: 'The file unpacks to more than the limits allow.' },
  too_complex: { retryable: false, meaning: 'Reading took more memory or time than is allowed.' },
  file_missing: { retryable: false, meaning: 'The content of the file is no longer there.' },
  embedding_not_configured: {
    retryable: true,
    meaning: 'No embedding model is configured for this knowledge base.',
  },
  embedding_failed: { retryable: true, meaning: 'The embedding model failed, also after several tries.' },
  embedding_changed: {
    retryable: false,
    meaning: 'The embedding model gave vectors of another length than before.',
  },
  interrupted: { retryable: true, meaning: 'The server stopped three times while it read this document.' },
  internal: { retryable: true, meaning: 'A fault of the server. The log tells more.' },
} as const

export type DocumentFailureCode = keyof typeof documentFailures

export class DocumentFailure extends Error {
  readonly code: DocumentFailureCode
  readonly retryable: boolean

  constructor(code: DocumentFailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'DocumentFailure'
    this.code = code
    this.retryable = documentFailures[code].retryable
  }
}
