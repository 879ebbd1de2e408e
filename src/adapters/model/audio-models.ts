import { isRecord } from '../../kernel/is-record.ts'
import type { SpeechSynthesizer } from '../../models/speech-synthesizer.ts'
import type { Transcriber } from '../../models/transcriber.ts'
import { cutText, type EndpointLabels, type EndpointOptions, endpointLabels } from './endpoint.ts'
import { badResponse } from './endpoint-failure.ts'
import { JsonClient } from './json-client.ts'

interface AudioOptions extends EndpointOptions {
  model: string
}

const transcriptionLabels = endpointLabels('Transcription model', 'TRANSCRIBE')

const transcriptionTimeouts = {
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
export function createTranscriber(options: AudioOptions): Transcriber {
  const { labels = transcriptionLabels, extraBody = {} } = options
  const client = new JsonClient(labels, transcriptionTimeouts, options)
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

const speechLabels = endpointLabels('Speech model', 'SPEECH')

const speechTimeouts = {
  attemptMilliseconds: 60_000,
  totalMilliseconds: 120_000,
  maxRetryAfterMilliseconds: 30_000,
}

/** The limit of OpenAI; others accept less and say so. */
const maxTextCharacters = 4096
/** Every provider has it, or ignores the name; `extra_body` sets another one. */
const defaultVoice = 'alloy'

/** Any endpoint with OpenAI's speech API. */
export function createSpeechSynthesizer(options: AudioOptions): SpeechSynthesizer {
  const { model, labels = speechLabels, extraBody } = options
  const client = new JsonClient(labels, speechTimeouts, options)
  return {
    synthesize: async (text, caller) => {
      const input = cutText(text, maxTextCharacters)
      const body = { model, input, voice: defaultVoice, response_format: 'mp3', ...extraBody }
      const { mimeType, bytes } = await client.postForFile('audio/speech', body, caller)
      return { mimeType: mimeType.startsWith('audio/') ? mimeType : 'audio/mpeg', bytes }
    },
  }
}
