import type { FileToLoad } from '../../knowledge/ingest/document-reader.ts'
import type { Question, Replies } from './worker-messages.ts'

/** Answers the questions of a thread that reads a document: the text of its pages and recordings. */
export class MediaDesk {
  readonly #handlers: Pick<FileToLoad, 'media' | 'onPages'>
  readonly #signal: AbortSignal
  #waiting = 0
  #done = 0
  #total = 0

  constructor(handlers: Pick<FileToLoad, 'media' | 'onPages'>, signal: AbortSignal) {
    this.#handlers = handlers
    this.#signal = signal
  }

  /** The thread may be waiting for an answer. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  async answer(question: Question): Promise<Replies[keyof Replies]> {
    this.#waiting++
    try {
      return await this.#reply(question)
    } finally {
      this.#waiting--
    }
  }

  async #reply(question: Question): Promise<Replies[keyof Replies]> {
    const { media, onPages } = this.#handlers
    if (question.kind === 'pages') {
      if (!(await media?.canRecognise())) return false
      this.#total += question.total
      if (question.total > 0) await onPages?.(this.#done, this.#total)
      return true
    }
    if (question.kind === 'blank') {
      await onPages?.(++this.#done, this.#total)
      return undefined
    }
    if (!media) throw new Error('This document is read without its media')
    const text = await media.read(question, this.#signal)
    if (question.kind === 'page') await onPages?.(++this.#done, this.#total)
    return text
  }
}
