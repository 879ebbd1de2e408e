import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelRequest } from '../../models/language-model.ts'
import { isStrictSchema } from './strict-schema.ts'
import { toPrompt } from './to-prompt.ts'

/** What a header can carry. Without its key a call still works; with another one it could not even be sent. */
const sendableKey = /^[\x21-\x7e]{1,255}$/

/** A request in the form of the provider library. */
export function toCallOptions(request: ModelRequest): LanguageModelV4CallOptions {
  const { messages, temperature, maxTokens, tools = [], jsonSchema, idempotencyKey } = request
  return {
    prompt: toPrompt(messages),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(idempotencyKey !== undefined && sendableKey.test(idempotencyKey)
      ? { headers: { 'Idempotency-Key': idempotencyKey } }
      : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters as JSONSchema7,
          })),
          toolChoice: { type: 'auto' as const },
        }),
    ...(jsonSchema === undefined
      ? {}
      : {
          responseFormat: {
            type: 'json' as const,
            name: jsonSchema.name,
            schema: jsonSchema.schema as JSONSchema7,
          },
          providerOptions: { openaiCompatible: { strictJsonSchema: isStrictSchema(jsonSchema.schema) } },
        }),
  }
}
