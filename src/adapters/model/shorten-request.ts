import type { ModelMessage, ModelRequest } from '../../models/language-model.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { lastQuestion, trimHistory } from '../../models/trim-history.ts'

const tooLong =
  /context[_ ](length|window|size)|maximum context|too many tokens|prompt is too long|input is too long|exceeds? the (max|limit)|token limit|range of input length/i

/** The largest number of tokens that the message names as a limit. */
function limitIn(message: string): number | undefined {
  const found = /(?:maximum|max|limit|window|length)\D{0,40}?(\d[\d,]{2,8})/i.exec(message)?.[1]
  const limit = Number(found?.replaceAll(',', ''))
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined
}

/** The request without the older half of its turns, for providers that do not name their limit. */
function halved(request: ModelRequest): ModelRequest {
  const { messages } = request
  const last = lastQuestion(messages)
  const history = messages.slice(0, last).filter(message => message.role !== 'system')
  const dropped = new Set<ModelMessage>(history.slice(0, Math.ceil(history.length / 2)))
  return dropped.size === 0
    ? request
    : { ...request, messages: messages.filter(message => !dropped.has(message)) }
}

/** A request with less of its history, where the provider rejected it as too long; undefined where there is none left. */
export function shortenedFor(error: unknown, request: ModelRequest): ModelRequest | undefined {
  if (!(error instanceof ModelFailure) || ![400, 413, 422].includes(error.status ?? 0)) return undefined
  if (!tooLong.test(error.detail)) return undefined
  const limit = limitIn(error.detail)
  const trimmed = limit === undefined ? request : trimHistory(request, limit)
  const shorter = trimmed.messages.length < request.messages.length ? trimmed : halved(request)
  return shorter.messages.length < request.messages.length ? shorter : undefined
}
