import { openaiOperations as operations } from '../../../contract/openai-operations.ts'
import { agentVariables } from '../../../conversations/conversation-inputs.ts'
import { AppError, invalidField } from '../../../kernel/app-error.ts'
import { derivedId } from '../../../kernel/ids.ts'
import { variablesOf } from '../../../workflow/run/run-service.ts'
import { admitOrigin } from '../../cors.ts'
import { callerSignal, eventStream, type ServerSentEvent } from '../../event-stream.ts'
import { openaiError } from '../../openai-error.ts'
import { type Call, digestedMembers, fingerprintOf, idempotencyKey, type Route, route } from '../../route.ts'
import { admitPage } from '../agent-access.ts'
import { startTurn } from './agent-exchange.ts'
import { type Answering, type CompletionBody, completion, completionChunks } from './completions.ts'
import type { Exchange, KeyedRequest, OpenaiParts, Question } from './exchange.ts'
import { completionInput, responseInput } from './input.ts'
import { findTarget, listModels, type Target, targetOnWire } from './models.ts'
import { type ResponseBody, ResponseStream, response } from './responses.ts'
import { storedResponse } from './stored-response.ts'
import { startRun } from './workflow-exchange.ts'

/** Refuses options that are not supported: the client would wait for something that never comes. */
function refuseUnless(isSupported: boolean, path: string, message: string): void {
  if (!isSupported) throw invalidField(path, message)
}

const ownTools = 'must be empty: an agent uses its own tools'

function checkCompletion(body: CompletionBody): void {
  refuseUnless((body.n ?? 1) === 1, '/n', 'must be 1')
  refuseUnless(body.logprobs !== true, '/logprobs', 'must be false: an agent has no log probabilities')
  refuseUnless((body.top_logprobs ?? 0) === 0, '/top_logprobs', 'must be 0')
  const isText = (body.modalities ?? []).every(each => each === 'text')
  refuseUnless(isText, '/modalities', 'must be text only')
  refuseUnless((body.tools ?? []).length === 0, '/tools', ownTools)
  refuseUnless((body.functions ?? []).length === 0, '/functions', ownTools)
  const format = body.response_format?.type ?? 'text'
  refuseUnless(format === 'text', '/response_format', 'must be text; use an agent that answers with JSON')
}

function checkResponse(body: ResponseBody): void {
  refuseUnless((body.tools ?? []).length === 0, '/tools', ownTools)
  refuseUnless(body.background !== true, '/background', 'must be false')
  refuseUnless((body.top_logprobs ?? 0) === 0, '/top_logprobs', 'must be 0')
  const logprobs = (body.include ?? []).indexOf('message.output_text.logprobs')
  refuseUnless(logprobs === -1, `/include/${logprobs}`, 'must be omitted: an agent has no log probabilities')
  const format = body.text?.format?.type ?? 'text'
  refuseUnless(format === 'text', '/text/format', 'must be text; use an agent that answers with JSON')
  const isBoth = typeof body.previous_response_id === 'string' && body.conversation
  refuseUnless(!isBoth, '/conversation', 'must not be sent together with previous_response_id')
}

const completionQuestion = (body: CompletionBody): Pick<Question, 'input' | 'continues'> => ({
  input: completionInput(body),
  continues:
    typeof body.conversation_id === 'string'
      ? { conversationId: body.conversation_id, pointer: '/conversation_id' }
      : undefined,
})

function responseQuestion(body: ResponseBody): Pick<Question, 'input' | 'continues'> {
  const { conversation, previous_response_id: responseId } = body
  const input = responseInput(body)
  if (typeof responseId === 'string') return { input, continues: { responseId } }
  const conversationId = typeof conversation === 'string' ? conversation : conversation?.id
  if (conversationId === undefined) return { input, continues: undefined }
  return { input, continues: { conversationId, pointer: '/conversation' } }
}

type Exchanged = Pick<Call, 'request' | 'reply'>
type ChatCall = Call<typeof operations.chatCompletions> | Call<typeof operations.responses>

/** The ids that the Idempotency-Key of a request and its token determine. How the answer is sent makes no difference. */
async function keyedRequest(call: ChatCall): Promise<KeyedRequest | undefined> {
  const { request } = call
  const key = idempotencyKey(request)
  if (key === undefined) return undefined
  // Without a token, the same key of another client could not be distinguished.
  if (!request.token)
    throw invalidField('header/Idempotency-Key', 'requires a token; send a token or omit the key')
  const parts = [request.headers.authorization!.slice('Bearer '.length), key]
  const sent = await digestedMembers(call, 'stream', 'stream_options', 'run_events')
  return {
    conversationId: derivedId('conv', parts),
    chatId: derivedId('chat', parts),
    runId: derivedId('run', parts),
    fingerprint: fingerprintOf([request.operation!.name, sent]),
  }
}

/** Lets pages of the agents of a runner read the response. */
async function admitOwnPages({ agents }: OpenaiParts, { request, reply }: Exchanged): Promise<void> {
  const { token } = request
  if (!token || request.headers.origin === undefined) return
  const own = await agents.store.findMany(token.workspaceId, token.agentIds)
  admitOrigin(
    request,
    reply,
    own.flatMap(({ allowedOrigins }) => allowedOrigins),
  )
}

/** The target of a model name. Pages can read that there is none. */
async function targetFor(parts: OpenaiParts, call: Exchanged, model: string): Promise<Target> {
  try {
    return await findTarget(parts, call.request.token, model)
  } catch (error) {
    await admitOwnPages(parts, call)
    throw error
  }
}

/** Sends the message of the user. Resolves when the turn or the run has started. */
async function start(
  parts: OpenaiParts,
  call: ChatCall,
  asked: Pick<Question, 'input' | 'continues'>,
  signal: AbortSignal,
): Promise<Exchange> {
  const { body, request, reply } = call
  const { token } = request
  if (body.run_events && !token)
    throw new AppError('token_missing', 'The events of a run need a token: omit run_events')
  const { model, user } = body
  const target = await targetFor(parts, call, model)
  const inputs = { ...(await variablesIn(parts, target, body.metadata ?? {})), ...body.inputs }
  const keyed = await keyedRequest(call)
  const question: Question = { token, model, inputs, userId: user ?? undefined, keyed, ...asked }
  if (!('agent' in target)) return startRun(parts, question, target.workspaceId, target.workflow.id)
  admitOrigin(request, reply, target.agent.allowedOrigins)
  return startTurn(parts, question, target, signal)
}

/** The members of a client's metadata that are values of input variables. */
async function variablesIn(
  { runs }: OpenaiParts,
  target: Target,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return {}
  const { workspaceId } = target
  const variables =
    'agent' in target
      ? await agentVariables(runs, workspaceId, target.agent)
      : await variablesOf(runs, workspaceId, target.workflow.id)
  return Object.fromEntries(entries.filter(([name]) => variables.some(each => each.name === name)))
}

/** Stops the run when its client disconnects: without a key these clients cannot fetch the answer later. */
function stopWithClient({ runs }: OpenaiParts, { request, reply }: ChatCall, exchange: Exchange): void {
  const { workspaceId, runId } = exchange
  if (idempotencyKey(request) !== undefined) return
  const onClose = (): void => {
    if (reply.raw.writableFinished || request.server.stopping.aborted) return
    runs.stop(workspaceId, runId).catch(() => {})
  }
  if (reply.raw.destroyed) onClose()
  else reply.raw.once('close', onClose)
}

const originOf = ({ protocol, host }: Call['request']): string => `${protocol}://${host}`

interface Protocol {
  whole(signal: AbortSignal): Promise<unknown>
  events(signal: AbortSignal): AsyncIterable<ServerSentEvent>
  failure(error: AppError): ServerSentEvent
}

/** Starts the answer, and sends it whole or as a stream. */
async function answer(
  parts: OpenaiParts,
  call: ChatCall,
  asked: Pick<Question, 'input' | 'continues'>,
  protocolOf: (answering: Answering) => Protocol,
): Promise<unknown> {
  const { body, request, reply } = call
  const signal = callerSignal(request, reply)
  const exchange = await start(parts, call, asked, signal)
  stopWithClient(parts, call, exchange)
  if (exchange.isReplay) reply.header('idempotency-replayed', 'true')
  const protocol = protocolOf({ runs: parts.runs, exchange, origin: originOf(request) })
  if (body.stream !== true) return protocol.whole(signal)
  return eventStream(request, gone => protocol.events(gone), {
    failure: error => protocol.failure(error),
    endsWithServer: true,
    isAllowed: async () =>
      request.token !== undefined || (await parts.agents.store.findPublic(body.model)) !== undefined,
  })
}

/** Pages of the allowed origins of its agents may call it. */
const forPages = (given: Route): Route => ({ ...given, isForPages: true })

export function openaiRoutes(parts: OpenaiParts): Route[] {
  return [
    forPages(
      route(operations.models, async call => {
        await admitOwnPages(parts, call)
        return { object: 'list', data: await listModels(parts, call.token) }
      }),
    ),
    forPages(
      route(operations.model, async call => {
        const { params, request, reply } = call
        const target = await targetFor(parts, call, params.model)
        if ('agent' in target) admitOrigin(request, reply, target.agent.allowedOrigins)
        return targetOnWire(target)
      }),
    ),
    forPages(
      route(operations.workflowModel, async call =>
        targetOnWire(await targetFor(parts, call, `workflow/${call.params.id}`)),
      ),
    ),
    route(operations.chatCompletions, call => {
      const { body } = call
      checkCompletion(body)
      return answer(parts, call, completionQuestion(body), answering => ({
        whole: signal => completion(answering, body, signal),
        events: signal => completionChunks(answering, body, signal),
        failure: error => ({ data: JSON.stringify(openaiError(error)) }),
      }))
    }),
    route(operations.responses, call => {
      const { body } = call
      checkResponse(body)
      return answer(parts, call, responseQuestion(body), answering => {
        const stream = new ResponseStream(answering, body)
        return {
          whole: signal => response(answering, body, signal),
          events: signal => stream.events(signal),
          failure: error => stream.failure(error),
        }
      })
    }),
    forPages(
      route(operations.response, async ({ token, params, request, reply }) => {
        const found = await storedResponse(parts, token, params.id, {
          origin: originOf(request),
          signal: callerSignal(request, reply),
        })
        await admitPage(parts.agents, { request, reply }, token, found.model)
        return found
      }),
    ),
  ]
}
