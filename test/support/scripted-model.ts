import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChatBody, type ChatPlan, type Frame, streamFrames, wholeAnswer } from './scripted-chat.ts'

/** The response to a search or a transcription. Omitted fields mean a normal response. */
export interface PlainPlan {
  status?: number
  headers?: Record<string, string>
  message?: string
  /** In place of the normal response. */
  json?: unknown
  html?: boolean
  hang?: boolean
  drop?: boolean
}

export interface Transcription {
  model: string
  fields: Record<string, string>
  file: { name: string; mimeType: string; bytes: Buffer }
  headers: IncomingHttpHeaders
}

export interface ScriptedCalls {
  /** `gone` resolves when the connection is closed; true if that was before the whole response was sent. */
  chat: { body: ChatBody; headers: IncomingHttpHeaders; url: string; gone: Promise<boolean> }[]
  search: { query: string; url: URL; headers: IncomingHttpHeaders }[]
  transcription: Transcription[]
  speech: { body: Record<string, unknown>; headers: IncomingHttpHeaders }[]
  /** Requests for the list of models. */
  models: { headers: IncomingHttpHeaders }[]
}

/** What it offers, in the forms of several providers. */
const offeredModels = [
  { id: 'writer', object: 'model', context_length: 128_000 },
  { id: 'thinker', object: 'model', max_model_len: 32_768 },
  { id: 'embedder', object: 'model' },
  { object: 'model' },
]

type Answered<Plan> = Plan | undefined | Promise<Plan | undefined>

export interface ScriptedModel {
  origin: string
  apiKey: string
  /** The settings of a server that uses this provider for everything. */
  environment: Record<string, string>
  calls: ScriptedCalls
  /** Decides on every following chat call; `count` is 1 for the first call ever. `undefined` succeeds. */
  play(rule: (body: ChatBody, count: number) => Answered<ChatPlan>): void
  playSearch(rule: (query: string, count: number) => Answered<PlainPlan>): void
  playTranscription(rule: (call: Transcription, count: number) => Answered<PlainPlan>): void
  /** Succeeds from now on, and clears the recorded calls. */
  reset(): void
  stop(): Promise<void>
}

const sendJson = (response: ServerResponse, status: number, value: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Simulates failures without a proper response. */
function spoil(response: ServerResponse, plan: ChatPlan & PlainPlan): boolean {
  if (plan.hang) return true
  if (plan.drop) response.destroy()
  else if (plan.html)
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Sign in</title><p>data: hello</p>')
  else if (plan.errorIn200 !== undefined)
    sendJson(response, 200, { error: { message: plan.errorIn200, code: plan.code ?? null } })
  else if (plan.status !== undefined) {
    const error = { message: plan.message ?? `scripted ${plan.status}`, code: plan.code ?? null }
    sendJson(response, plan.status, plan.errorBody ?? { error: { ...error, type: 'scripted' } }, plan.headers)
  } else return false
  return true
}

const cutOffsets = (length: number, splitAt: number[] | 'every'): number[] =>
  splitAt === 'every'
    ? Array.from({ length }, (_, index) => index + 1)
    : [...splitAt.filter(at => at > 0 && at < length).sort((one, other) => one - other), length]

function sendInParts(response: ServerResponse, frames: Frame[], splitAt: number[] | 'every'): void {
  const bytes = Buffer.from(frames.map(frame => frame.text).join(''))
  let from = 0
  for (const to of cutOffsets(bytes.length, splitAt)) {
    // Every write is one HTTP chunk and arrives as one, however the packets are split.
    if (to > from) response.write(bytes.subarray(from, to))
    from = to
  }
  response.end()
}

async function sendStream(response: ServerResponse, body: ChatBody, plan: ChatPlan): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...plan.headers })
  response.flushHeaders()
  const frames = streamFrames(body, plan)
  if (plan.splitAt) return sendInParts(response, frames, plan.splitAt)
  for (const { text, piece } of frames) {
    if (piece !== undefined) {
      if (piece > 0 && plan.pieceDelay) await delay(plan.pieceDelay)
      await plan.beforePiece?.(piece)
      if (plan.hangAfter === piece) return
    }
    const half = text.slice(0, Math.floor(text.length / 2))
    if (piece !== undefined && plan.cutAfter === piece)
      return void response.write('', () => response.destroy())
    if (piece !== undefined && plan.cutInPiece === piece)
      return void response.write(half, () => response.destroy())
    if (piece !== undefined && plan.endInPiece === piece) return void response.end(half)
    if (response.destroyed) return
    response.write(text)
  }
  if (!plan.neverClose) response.end()
}

async function readTranscription(request: IncomingMessage, raw: Buffer): Promise<Transcription> {
  const type = request.headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData()
  const file = form.get('file')
  if (!(file instanceof File)) throw new Error('The form has no file')
  const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return {
    model: String(form.get('model')),
    fields: Object.fromEntries(fields),
    file: { name: file.name, mimeType: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
    headers: request.headers,
  }
}

const searchAnswer = (query: string) => ({
  query,
  results: [
    {
      title: 'Banyan tree',
      url: 'https://example.org/banyan',
      content: 'A fig that grows new <b>trunks</b>. 榕树。',
      engine: 'scripted',
      score: 1,
    },
    {
      title: 'Second',
      url: 'https://example.org/2',
      content: 'another result',
      engine: 'scripted',
      score: 0.5,
    },
  ],
})

/** A model provider on loopback: chat, transcription and web search, with injected faults. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const calls: ScriptedCalls = { chat: [], search: [], transcription: [], speech: [], models: [] }
  const goesWell = (): undefined => undefined
  let chatRule: Parameters<ScriptedModel['play']>[0] = goesWell
  let searchRule: Parameters<ScriptedModel['playSearch']>[0] = goesWell
  let transcriptionRule: Parameters<ScriptedModel['playTranscription']>[0] = goesWell

  const chat = async (request: IncomingMessage, response: ServerResponse, raw: Buffer): Promise<void> => {
    const body = JSON.parse(raw.toString('utf8')) as ChatBody
    const gone = once(response, 'close').then(() => !response.writableFinished)
    const count = calls.chat.push({ body, headers: request.headers, url: request.url ?? '', gone })
    const plan = (await chatRule(body, count)) ?? {}
    if (spoil(response, plan)) return
    if (body.stream && !plan.withoutStream) await sendStream(response, body, plan)
    else sendJson(response, 200, wholeAnswer(body, plan))
  }
  const search = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const query = url.searchParams.get('q') ?? ''
    const plan = (await searchRule(query, calls.search.push({ query, url, headers: request.headers }))) ?? {}
    if (!spoil(response, plan)) sendJson(response, 200, plan.json ?? searchAnswer(query))
  }
  const transcribe = async (
    request: IncomingMessage,
    response: ServerResponse,
    raw: Buffer,
  ): Promise<void> => {
    const call = await readTranscription(request, raw)
    const plan = (await transcriptionRule(call, calls.transcription.push(call))) ?? {}
    if (!spoil(response, plan))
      sendJson(response, 200, plan.json ?? { text: `heard: ${call.file.bytes.toString('utf8')}` })
  }

  const server = createServer(async (request, response) => {
    // The client may have disconnected.
    const raw = await buffer(request).catch(() => undefined)
    if (!raw) return
    const url = new URL(request.url ?? '/', 'http://scripted.test')
    if (url.pathname.endsWith('/chat/completions')) return chat(request, response, raw)
    if (url.pathname.endsWith('/audio/transcriptions')) return transcribe(request, response, raw)
    if (url.pathname.endsWith('/audio/speech')) {
      const body = JSON.parse(raw.toString('utf8')) as Record<string, unknown>
      calls.speech.push({ body, headers: request.headers })
      return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(`spoken: ${body['input']}`)
    }
    if (url.pathname.endsWith('/models')) {
      calls.models.push({ headers: request.headers })
      return sendJson(response, 200, { object: 'list', data: offeredModels })
    }
    if (url.searchParams.has('q')) return search(request, response, url)
    sendJson(response, 404, { error: { message: 'no such route' } })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const apiKey = 'sk-scripted-canary-0123456789'
  return {
    origin,
    apiKey,
    environment: {
      MODEL_BASE_URL: `${origin}/v1`,
      MODEL_API_KEY: apiKey,
      MODEL_NAME: 'scripted',
      WEB_SEARCH_URL: `${origin}/search`,
      SPEECH_BASE_URL: `${origin}/v1`,
      SPEECH_API_KEY: apiKey,
      SPEECH_MODEL: 'scripted-mouth',
      SPEECH_VOICE: 'nova',
      TRANSCRIBE_BASE_URL: `${origin}/v1`,
      TRANSCRIBE_API_KEY: apiKey,
      TRANSCRIBE_MODEL: 'scripted-ear',
      EGRESS_ALLOW: '127.0.0.1',
    },
    calls,
    play: rule => {
      chatRule = rule
    },
    playSearch: rule => {
      searchRule = rule
    },
    playTranscription: rule => {
      transcriptionRule = rule
    },
    reset: () => {
      chatRule = goesWell
      searchRule = goesWell
      transcriptionRule = goesWell
      for (const each of Object.values(calls)) each.length = 0
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
