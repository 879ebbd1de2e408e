import { buffer } from 'node:stream/consumers'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { EgressResponse } from '../egress/egress.ts'
import { retryAfterMilliseconds } from '../model/endpoint-failure.ts'
import { parseRpc } from './rpc-message.ts'
import { hostOf, type ServerAddress } from './server-address.ts'
import { serverWords } from './server-words.ts'

/** The server does not know the session any more; it did nothing. */
export class SessionGone extends Error {}

/** What a status that is no success means. */
export async function refusalOfAnswer(
  server: ServerAddress,
  answer: EgressResponse,
  hadSession: boolean,
): Promise<Error> {
  const { status } = answer
  const words = await wordsOf(answer)
  // 404 is what the protocol says; some servers say 400 and mean the same.
  if (hadSession && (status === 404 || (status === 400 && /session/i.test(words)))) return new SessionGone()
  const said = serverWords(words, server.headers)
  const hint = status === 401 || status === 403 ? ': check the headers it is called with' : ''
  const message = `${hostOf(server)} answered with the status ${status}${said ? ` (${said})` : ''}${hint}`
  return new ToolFailure(message, {
    retryable: status === 408 || status === 429 || status >= 500,
    retryAfterMilliseconds: retryAfterMilliseconds(answer.headers, Date.now()),
  })
}

/** A refusal may be JSON-RPC, too; a page of HTML says nothing to anybody. */
async function wordsOf(answer: EgressResponse): Promise<string> {
  const text = (await buffer(answer.body)).toString('utf8')
  try {
    return parseRpc(text).flatMap(message => (message.kind === 'error' ? message.message : []))[0] ?? ''
  } catch {
    return /^text\/plain/i.test(answer.headers['content-type'] ?? '') ? text : ''
  }
}
