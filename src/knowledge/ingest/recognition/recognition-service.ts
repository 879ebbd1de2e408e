import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../../contract/limits.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { FairQueue } from '../../../kernel/fair-queue.ts'
import { ModelNotConfigured } from '../../../models/language-model.ts'
import { ModelFailure } from '../../../models/model-failure.ts'
import type { Transcriber } from '../../../models/transcriber.ts'
import { DocumentFailure } from '../document-failure.ts'
import type { DocumentReader } from '../document-reader.ts'
import {
  type DocumentMedia,
  howToRecognise,
  type Medium,
  type RecognisedText,
  type TextRecogniser,
} from './medium.ts'
import type { RecognitionCache } from './recognition-cache.ts'

/** A model could not recognise a page or a recording. */
export class RecognitionFailure extends ModelFailure {
  readonly code: 'recognition_failed' | 'transcription_failed'

  constructor(code: RecognitionFailure['code'], { message, ...failure }: ModelFailure) {
    super(message, failure)
    this.code = code
  }
}

interface NamedTranscriber {
  id: string
  transcriber: Transcriber
}

interface RecognitionParts {
  /** Undefined where none is set up. */
  recogniser(workspaceId: string): Promise<TextRecogniser | undefined>
  transcriber(workspaceId: string): Promise<NamedTranscriber | undefined>
  cache: RecognitionCache
  clock: Clock
}

interface Work {
  workspaceId: string
  /** The id of the recogniser in cache keys. */
  id: string
  bytes: Uint8Array
  failure: RecognitionFailure['code']
  run(caller: { workspaceId: string; signal: AbortSignal }): Promise<string>
}

const attempts = 3
const backoffMilliseconds = 500
const maxWaitMilliseconds = 60_000

const noTranscriber = (): DocumentFailure =>
  new DocumentFailure(
    'transcription_not_configured',
    'No transcription model is configured. Add one in Models, or set TRANSCRIBE_BASE_URL and TRANSCRIBE_MODEL; then process the document again.',
  )

/** The model of the workspace was removed or became unusable, for example because its key cannot be decrypted. */
function notConfigured(code: 'recognition_not_configured' | 'transcription_not_configured') {
  return (error: unknown): never => {
    throw error instanceof ModelNotConfigured
      ? new DocumentFailure(code, error.message, { cause: error })
      : error
  }
}

/** Turns page images and recordings into text. Texts are cached, and workspaces take turns. */
export class RecognitionService {
  readonly #parts: RecognitionParts
  readonly #queue = new FairQueue({
    places: limits.recognitions,
    share: limits.recognitionsPerWorkspace,
    maxWaiting: limits.waitingPages,
    tooMany: () =>
      new AppError('rate_limited', 'Too many pages of this workspace wait to be recognised; try again later'),
  })

  constructor(parts: RecognitionParts) {
    this.#parts = parts
  }

  /** A reader that also reads scans, images and recordings. */
  extend(reader: DocumentReader): DocumentReader {
    return {
      readGroup: (workspaceId, files, signal) => reader.readGroup(workspaceId, files, signal),
      read: (file, take, signal) =>
        reader.read({ ...file, media: this.#mediaOf(file.workspaceId) }, take, signal),
    }
  }

  #mediaOf(workspaceId: string): DocumentMedia {
    let recogniser: Promise<TextRecogniser | undefined> | undefined
    const find = (): Promise<TextRecogniser | undefined> =>
      (recogniser ??= this.#parts.recogniser(workspaceId).catch(notConfigured('recognition_not_configured')))
    return {
      canRecognise: async () => (await find()) !== undefined,
      read: async (medium, signal) => {
        if (medium.kind === 'recording') return this.#transcribe(workspaceId, medium, signal)
        const found = await find()
        if (!found) throw new DocumentFailure('recognition_not_configured', howToRecognise)
        const { jpeg } = medium
        const text = await this.#cached(
          {
            ...{ workspaceId, id: found.id, bytes: jpeg, failure: 'recognition_failed' },
            run: caller => this.#repeat(() => found.recognise(jpeg, caller), caller.signal),
          },
          signal,
        )
        return { form: found.form, text }
      },
    }
  }

  async #transcribe(
    workspaceId: string,
    recording: Extract<Medium, { kind: 'recording' }>,
    signal: AbortSignal,
  ): Promise<RecognisedText> {
    const found = await this.#parts
      .transcriber(workspaceId)
      .catch(notConfigured('transcription_not_configured'))
    if (!found) throw noTranscriber()
    const { id, transcriber } = found
    const { bytes } = recording
    const work: Work = {
      ...{ workspaceId, id, bytes, failure: 'transcription_failed' },
      run: caller => transcriber.transcribe(recording, caller),
    }
    return { form: 'plain', text: await this.#cached(work, signal) }
  }

  async #cached({ workspaceId, id, bytes, failure, run }: Work, signal: AbortSignal): Promise<string> {
    const { cache, clock } = this.#parts
    const hash = createHash('sha256').update(bytes).digest('base64url')
    const key = { workspaceId, recogniser: id, hash }
    const known = await cache.find(key, clock.now())
    if (known !== undefined) return known
    const text = await this.#queue
      .run(workspaceId, () => run({ workspaceId, signal }), signal)
      .catch((error: unknown) => {
        throw error instanceof ModelFailure ? new RecognitionFailure(failure, error) : error
      })
    await cache.keep(key, text, clock.now())
    return text
  }

  /** A call to a chat model is one attempt. */
  async #repeat(call: () => Promise<string>, signal: AbortSignal): Promise<string> {
    for (let attempt = 1; ; attempt++)
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof ModelFailure) || !error.retryable || attempt >= attempts) throw error
        const { retryAfterMilliseconds: asked = 0 } = error
        if (asked > maxWaitMilliseconds) throw error
        const pause = backoffMilliseconds * 2 ** attempt * (0.5 + Math.random())
        await sleep(Math.max(asked, pause), undefined, { signal })
      }
  }
}
