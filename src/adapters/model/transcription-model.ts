import { isRecord } from '../../kernel/is-record.ts'
import type { Transcriber } from '../../models/transcriber.ts'
import { type EndpointLabels, type EndpointOptions, endpointLabels } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'

interface TranscriptionOptions extends EndpointOptions {
  model: string
}

const environmentLabels = endpointLabels('Transcription model', 'TRANSCRIBE')

const defaultTimeouts = {
  attemptMilliseconds: 120_000,
  totalMilliseconds: 300_000,
  maxRetryAfterMilliseconds: 60_000,
}

function readTranscript(response: unknown, labels: EndpointLabels): string {
  const text = isRecord(response) ? response['text'] : undefined
  if (typeof text !== 'string') throw badResponse(labels, 'sent a response without a text')
  return text.trim()
}

/** Any endpoint with OpenAI's transcription API. */
export function createTranscriber(options: TranscriptionOptions): Transcriber {
  const { labels = environmentLabels, extraBody = {} } = options
  const client = new JsonClient(labels, defaultTimeouts, options)
  return {
    transcribe: async ({ name, mimeType, bytes }, caller) => {
      const form = new FormData()
      form.append('model', options.model)
      form.append('response_format', 'json')
      for (const [field, value] of Object.entries(extraBody))
        form.append(field, typeof value === 'string' ? value : JSON.stringify(value))
      form.append('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), name)
      return client.post('audio/transcriptions', form, response => readTranscript(response, labels), caller)
    },
  }
}
