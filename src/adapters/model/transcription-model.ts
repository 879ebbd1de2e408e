import { isRecord } from '../../kernel/is-record.ts'
import type { Transcriber } from '../../models/transcriber.ts'
import { type EndpointOptions, endpointLabels, endpointUrl } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'

interface TranscriptionOptions extends EndpointOptions {
  model: string
}

const labels = endpointLabels('Transcription model', 'TRANSCRIBE')

const defaultTimeouts = {
  attemptMilliseconds: 120_000,
  totalMilliseconds: 300_000,
  maxRetryAfterMilliseconds: 60_000,
}

function readTranscript(response: unknown): string {
  const text = isRecord(response) ? response['text'] : undefined
  if (typeof text !== 'string') throw badResponse(labels, 'sent a response without a text')
  return text.trim()
}

/** Any endpoint with OpenAI's transcription API. */
export function createTranscriber(options: TranscriptionOptions): Transcriber {
  const { baseUrl, apiKey, model } = options
  const endpoint = { ...labels, baseUrl, apiKey }
  const client = new JsonClient(endpoint, defaultTimeouts, options)
  return {
    transcribe: async ({ name, mimeType, bytes }, signal) => {
      const form = new FormData()
      form.append('model', model)
      form.append('response_format', 'json')
      form.append('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), name)
      // Encodes the form, with the boundary between its parts.
      const encoded = new Response(form)
      const request = {
        url: endpointUrl(endpoint, 'audio/transcriptions'),
        method: 'POST' as const,
        headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
        body: new Uint8Array(await encoded.arrayBuffer()),
      }
      return client.send(request, readTranscript, signal)
    },
  }
}
