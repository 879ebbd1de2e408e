import type { Speaker } from '../../models/speaker.ts'
import { cutText, type EndpointOptions, endpointLabels } from './endpoint.ts'
import { JsonClient } from './json-client.ts'

interface SpeechOptions extends EndpointOptions {
  model: string
}

const environmentLabels = endpointLabels('Speech model', 'SPEECH')

const defaultTimeouts = {
  attemptMilliseconds: 60_000,
  totalMilliseconds: 120_000,
  maxRetryAfterMilliseconds: 30_000,
}

/** The limit of OpenAI; others accept less and say so. */
const maxTextCharacters = 4096
/** Every provider has it, or ignores the name; `extra_body` sets another one. */
const defaultVoice = 'alloy'

/** Any endpoint with OpenAI's speech API. */
export function createSpeaker(options: SpeechOptions): Speaker {
  const { model, labels = environmentLabels, extraBody } = options
  const client = new JsonClient(labels, defaultTimeouts, options)
  return {
    speak: async (text, caller) => {
      const input = cutText(text, maxTextCharacters)
      const body = { model, input, voice: defaultVoice, response_format: 'mp3', ...extraBody }
      const { mimeType, bytes } = await client.postForFile('audio/speech', body, caller)
      return { mimeType: mimeType.startsWith('audio/') ? mimeType : 'audio/mpeg', bytes }
    },
  }
}
