import { ModelFailure } from '../../models/model-failure.ts'
import type { Transcriber } from '../../models/transcriber.ts'
import type { Egress } from '../egress/egress.ts'
import type { EndpointRequest } from './call-endpoint.ts'
import type { Surroundings } from './endpoint-health.ts'
import { endpointUrl, type ModelEndpoint, settingNames } from './model-endpoint.ts'
import { PersistentEndpoint } from './persistent-endpoint.ts'

interface TranscriptionOptions extends Surroundings {
  egress: Egress
  /** Up to but not including `/audio/transcriptions`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  attemptMilliseconds?: number
  /** For all tries together. */
  totalMilliseconds?: number
}

type Audio = Parameters<Transcriber['transcribe']>[0]

function readTranscript(answer: unknown): string {
  const text = typeof answer === 'object' && answer !== null && 'text' in answer ? answer.text : undefined
  if (typeof text === 'string') return text.trim()
  throw new ModelFailure(
    'The transcription endpoint answered 200, but there is no text in it: ' +
      'check TRANSCRIBE_BASE_URL and the model behind it',
    { retryable: true, status: 200 },
  )
}

/** Any endpoint that speaks OpenAI's transcription interface. */
class TranscriptionModel implements Transcriber {
  readonly #persistent: PersistentEndpoint
  readonly #endpoint: ModelEndpoint
  readonly #model: string

  constructor(persistent: PersistentEndpoint, endpoint: ModelEndpoint, model: string) {
    this.#persistent = persistent
    this.#endpoint = endpoint
    this.#model = model
  }

  async transcribe(audio: Audio, signal?: AbortSignal): Promise<string> {
    return this.#persistent.send(await this.#request(audio), readTranscript, signal)
  }

  async #request({ name, mimeType, bytes }: Audio): Promise<EndpointRequest> {
    const form = new FormData()
    form.append('model', this.#model)
    form.append('response_format', 'json')
    form.append('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), name)
    // Writes the form as it is sent, with the boundary between its parts.
    const written = new Response(form)
    return {
      url: endpointUrl(this.#endpoint, 'audio/transcriptions'),
      method: 'POST',
      headers: { 'content-type': written.headers.get('content-type') ?? '' },
      body: new Uint8Array(await written.arrayBuffer()),
    }
  }
}

export function createTranscriber(options: TranscriptionOptions): Transcriber {
  const { egress, baseUrl, apiKey, model } = options
  const endpoint = { name: 'transcription', ...settingNames('TRANSCRIBE'), baseUrl, apiKey }
  const patience = {
    attemptMilliseconds: options.attemptMilliseconds ?? 120_000,
    totalMilliseconds: options.totalMilliseconds ?? 300_000,
    pauseMilliseconds: 60_000,
  }
  return new TranscriptionModel(new PersistentEndpoint(egress, endpoint, patience, options), endpoint, model)
}
