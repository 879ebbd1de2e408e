import type { IncomingHttpHeaders } from 'node:http'
import { allText, type ChatBody, type ChatPlan, lastUserText } from './scripted-chat.ts'

/** How a provider responds to a request; `undefined` is an ordinary answer. */
type Quirk = (body: ChatBody, headers: IncomingHttpHeaders) => ChatPlan | undefined

type Call = Record<string, unknown>

const callsIn = ({ messages }: ChatBody): Call[] =>
  messages.flatMap(({ tool_calls: calls }) => (calls as Call[] | undefined) ?? [])

const resultIn = ({ messages }: ChatBody): string | undefined => {
  const result = messages.findLast(({ role }) => role === 'tool')
  return result && String(result.content)
}

const refused = (status: number, errorBody: unknown): ChatPlan => ({ status, errorBody })

const finding = (name: string) => ({
  type: 'extra_forbidden',
  loc: ['body', ...name.split('.')],
  msg: 'Extra inputs are not permitted',
})

/** Uses the first tool once, then repeats its result. */
function usesTool(body: ChatBody, more: ChatPlan = {}, call: object = {}): ChatPlan | undefined {
  const result = resultIn(body)
  if (result !== undefined) return { text: `I was told: ${result}` }
  const name = body.tools?.[0]?.function.name
  return name === undefined
    ? undefined
    : { ...more, toolCalls: [{ name, arguments: { city: 'Bergen' }, ...call }] }
}

const chunk = (delta: object, rest: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
})

const deepseek: Quirk = body => {
  const lost = body.messages.some(message => message['tool_calls'] && !message['reasoning_content'])
  const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.'
  if (lost)
    return refused(400, { error: { message, type: 'invalid_request_error', code: 'invalid_request_error' } })
  return usesTool(body, { reasoning: 'I need the weather.' }) ?? { reasoning: 'Simple.', text: 'Hello' }
}

const geminiError = (message: string): ChatPlan =>
  refused(400, [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }])

const gemini: Quirk = body => {
  const unknown = /"(\$ref|\$defs|\$schema|additionalProperties)":/.exec(JSON.stringify(body.tools ?? []))
  if (unknown)
    return geminiError(
      `Invalid JSON payload received. Unknown name "${unknown[1]}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
    )
  const signed = (call: Call): boolean => JSON.stringify(call['extra_content'] ?? '').includes('SIG-1')
  if (!callsIn(body).every(signed))
    return geminiError('Function call is missing a thought_signature in functionCall parts.')
  if (lastUserText(body) === 'wrong key')
    return geminiError('API key not valid. Please pass a valid API key.')
  return usesTool(body, {}, { extra_content: { google: { thought_signature: 'SIG-1' } } })
}

const azure: Quirk = (_, headers) =>
  headers['api-key'] === 'azure-key-0123456789' && headers.authorization === undefined
    ? undefined
    : refused(401, { error: { code: '401', message: 'Access denied due to invalid subscription key.' } })

const ollama: Quirk = body => {
  const error = (message: string): ChatPlan =>
    refused(400, { error: { message, type: 'api_error', param: null, code: null } })
  if (body.tools) return error('registry.ollama.ai/library/gemma3:4b does not support tools')
  if (allText(body).includes('[image]')) return error('this model does not support image input')
  return { pieces: ['<th', 'ink>', 'Let me ', 'see.</thi', 'nk>', '\n\n', `You said ${lastUserText(body)}`] }
}

const vllm: Quirk = body => {
  const error = (message: string) => ({
    object: 'error',
    message,
    type: 'BadRequestError',
    param: null,
    code: 400,
  })
  if (body.tools)
    return refused(
      400,
      error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    )
  if (allText(body).length > 4000)
    return refused(
      400,
      error("This model's maximum context length is 512 tokens. However, you requested 1200 tokens."),
    )
  return lastUserText(body) === 'fail'
    ? {
        events: [
          chunk({ content: 'Hel' }),
          error('top_k must be -1 (disable), or at least 1'),
          'data: [DONE]\n\n',
        ],
      }
    : undefined
}

const dashscope: Quirk = body => {
  const [said] = [lastUserText(body)]
  if (said === 'forbidden')
    return {
      events: [
        `data:${JSON.stringify({ code: 'DataInspectionFailed', message: 'Output data may contain inappropriate content.', request_id: 'r' })}\n\n`,
      ],
    }
  return {
    events: [
      `data:${JSON.stringify(chunk({ content: '你好' }, { finish_reason: 'length' }))}\n\n`,
      'data:[DONE]\n\n',
    ],
  }
}

/** The template of the model opens the reasoning, so that its text has only the end of it. */
const qwen: Quirk = body => ({
  pieces: ['Let me ', 'see.\n</thi', 'nk>', '\n\n', `You said ${lastUserText(body)}`],
})

export const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Draws, and repeats the image in its last event; or in the parts of a content, which has another image elsewhere. */
const openrouter: Quirk = body => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const drawn = image(`data:image/png;base64,${dot}`)
  const isParts = lastUserText(body) === 'parts'
  const content = [{ type: 'text', text: 'Two:' }, drawn, image('https://images.example/2.png')]
  return {
    events: isParts
      ? [chunk({ content }, { finish_reason: 'stop' }), 'data: [DONE]\n\n']
      : [
          chunk({ content: '', images: [drawn] }),
          chunk({ role: 'assistant', content: '', images: [drawn] }, { finish_reason: 'stop' }),
          'data: [DONE]\n\n',
        ],
  }
}

/** Rejects what it does not know, thinks in parts of the content, and sends pings. */
const mistral: Quirk = body => {
  const unknown = [
    ...(body['stream_options'] ? [finding('stream_options')] : []),
    ...(body.messages.some(message => message['reasoning_content'])
      ? [finding('messages.1.assistant.reasoning_content')]
      : []),
  ]
  if (unknown.length > 0)
    return refused(422, { object: 'error', message: { detail: unknown }, type: 'invalid_request_error' })
  const thinking = { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }
  if (resultIn(body) !== undefined) return usesTool(body)
  const name = body.tools?.[0]?.function.name
  if (name === undefined) return undefined
  const call = { id: 'abc123def', function: { name, arguments: { city: 'Bergen' } }, index: '0' }
  return {
    events: [
      'event: ping\ndata: {"type":"ping"}\n\n',
      chunk(thinking),
      chunk({ tool_calls: [call] }, { finish_reason: 'tool_calls' }),
      'data: [DONE]\n\n',
    ],
  }
}

const zhipu: Quirk = body => {
  if (body.response_format?.type === 'json_schema')
    return refused(400, { error: { code: '1210', message: 'API 调用参数有误，请检查文档。' } })
  if (body.response_format) return { text: '{"city":"Bergen"}' }
  return lastUserText(body) === '敏感' ? { text: '', finishReason: 'sensitive' } : undefined
}

/** Counts tokens inside the choice, calls its role by another name, and numbers its events. */
const kimi: Quirk = body => {
  if (allText(body).length > 4000)
    return refused(400, {
      error: {
        message: 'Invalid request: Your request exceeded model token limit: 512',
        type: 'invalid_request_error',
      },
    })
  const usage = { prompt_tokens: '11', completion_tokens: 7, total_tokens: 18 }
  return {
    events: [
      { ...chunk({ role: 'AI', content: 'Hello' }), id: 17, created: '1763280000' },
      chunk({}, { finish_reason: 'stop', usage }),
      'data: [DONE]\n\n',
    ],
  }
}

/** A template that accepts only questions and answers in turn, behind vLLM. */
const gemma: Quirk = body => {
  const message = 'Conversation roles must alternate user/assistant/user/assistant/...'
  const roles = body.messages.map(({ role }) => role).filter(role => role !== 'system')
  if (roles.some((role, at) => role !== (at % 2 === 0 ? 'user' : 'assistant')))
    return refused(400, { object: 'error', message, type: 'BadRequestError', code: 400 })
  return lastUserText(body) === 'forbidden' ? refused(400, { message: 'no' }) : undefined
}

/** The same behind llama.cpp. */
const llamaCpp: Quirk = (body, headers) => {
  const plan = gemma(body, headers)
  const { message = '' } = (plan?.errorBody ?? {}) as { message?: string }
  if (!message.includes('alternate')) return plan
  const error = { code: 500, message: `Error: Jinja Exception: ${message}`, type: 'server_error' }
  return refused(500, { error })
}

export const providerQuirks = {
  ...{ deepseek, gemini, azure, ollama, qwen, vllm, dashscope, mistral, zhipu, kimi, gemma, llamaCpp },
  openrouter,
}
