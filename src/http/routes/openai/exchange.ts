import type { TokenRecord } from '../../../access/access-store.ts'
import { limits } from '../../../contract/limits.ts'
import type { Conversation } from '../../../conversations/conversation.ts'
import type { TurnAnswer, TurnEvent } from '../../../conversations/turn-events.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Runs } from '../../../workflow/run/run-service.ts'
import { isActive } from '../../../workflow/run/store/run-records.ts'
import type { TokenUsage } from '../../../workflow/step.ts'
import { callerWith } from '../agent-access.ts'
import { type ConversationParts, conversationFor } from '../conversation-access.ts'
import { storedState } from '../run-waits.ts'
import type { FileParts } from './files.ts'
import type { ItemReference, SentInput, SentMessage } from './input.ts'
import { referenceOf, type TurnReference } from './item-ids.ts'
import type { ModelParts } from './models.ts'

export type OpenaiParts = ModelParts & ConversationParts & FileParts & { runs: Runs }

/** The request of a client to a model. */
export interface Question {
  token: TokenRecord | undefined
  model: string
  input: SentInput
  /** Further inputs of the run. */
  inputs: Readonly<Record<string, unknown>>
  userId: string | undefined
  /** The conversation or the earlier response that it continues. */
  continues: { conversationId: string; pointer: string } | { responseId: string } | undefined
  /** Of a request with an Idempotency-Key. */
  keyed: KeyedRequest | undefined
}

/** The key determines the ids of the conversation, the turn and the run, so that a retry finds them. */
export interface KeyedRequest {
  conversationId: string
  chatId: string
  runId: string
  /** Hash of the request: one with the same key must be the same. */
  fingerprint: string
}

/** A turn of an agent, or a run of a workflow, which both protocols answer with. */
export interface StoredExchange {
  /** The unique part of the ids of responses. */
  id: string
  workspaceId: string
  runId: string
  /** Empty for a workflow. */
  conversationId: string
  answer(signal: AbortSignal): Promise<TurnAnswer>
  usage(signal: AbortSignal): Promise<TokenUsage>
}

export interface Exchange extends StoredExchange {
  /** Whether an earlier request with the same Idempotency-Key started it. */
  isReplay: boolean
  /** Pieces of text and messages, the events of the run on request, and the whole answer at the end. */
  events(signal: AbortSignal, withRun: boolean): AsyncIterable<TurnEvent>
}

/** The inputs of a run with the instructions of the client. */
export const instructed = (inputs: Question['inputs'], { instructions }: SentInput): Question['inputs'] =>
  instructions === '' ? inputs : { ...inputs, instructions }

/** A turn rarely has more messages; history never reads further back. */
export const maxEarlier = limits.historyTurns * 4

/** The latest of these entries, as many as the history of a run can hold. */
export function latestOf<Entry extends { content: string }>(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = []
  let length = 0
  for (const entry of entries.slice(-maxEarlier).toReversed()) {
    length += entry.content.length
    if (length > limits.historyLength) break
    kept.unshift(entry)
  }
  return kept
}

/** Names the field of the request that an error is about. */
export const asFieldError =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.reason !== 'not_found') throw error
    throw new AppError('not_found', error.message, { errors: [{ path, message: 'does not exist' }] })
  }

export const notComplete = (responseId: string): AppError =>
  new AppError('version_conflict', `The response ${responseId} is not complete yet; try again later`)

/** What a request may refer to: what its token may see, or, without a token, conversations of the agent itself. */
export interface ReferenceScope {
  token: TokenRecord | undefined
  workspaceId: string
  agentId: string
}

export const reachedConversation = (
  parts: OpenaiParts,
  { token, workspaceId, agentId }: ReferenceScope,
  id: string,
): Promise<Conversation> =>
  conversationFor(parts, callerWith(token), { workspaceId, id, agentId: token ? undefined : agentId })

/** The text of an item of an earlier response. */
export async function referredMessage(
  parts: OpenaiParts,
  scope: ReferenceScope,
  { reference, pointer }: ItemReference,
): Promise<SentMessage> {
  const item = referenceOf('msg', reference)
  const text = item && (await textOf(parts, scope, item).catch(asFieldError(`${pointer}/id`)))
  if (text === undefined)
    throw new AppError('not_found', `There is no item ${reference}`, {
      errors: [{ path: `${pointer}/id`, message: 'does not exist' }],
    })
  return { role: 'assistant', text, files: [] }
}

async function textOf(
  parts: OpenaiParts,
  scope: ReferenceScope,
  item: TurnReference,
): Promise<string | undefined> {
  const { token, workspaceId } = scope
  // A token that is bound to agents cannot run workflows, and sees nothing of their runs.
  if ('runId' in item)
    return token?.agentIds.length === 0 ? runText(parts.runs, workspaceId, item) : undefined
  const conversation = await reachedConversation(parts, scope, item.conversationId)
  const message = await parts.conversations.store.message(workspaceId, conversation.id, `msg_${item.id}`)
  return message?.content
}

/** A message of a run, or its whole answer if the reference names no message, or the messages were deleted. */
async function runText(
  runs: Runs,
  workspaceId: string,
  { runId, messageId }: Extract<TurnReference, { runId: string }>,
): Promise<string | undefined> {
  const run = await runs.find(workspaceId, runId)
  if (!run || messageId === undefined || isActive(run.status)) return run?.answer
  const { messages } = await storedState(runs, workspaceId, runId, new AbortController().signal)
  if (messages.length === 0) return run.answer
  return messages.find(({ message_id }) => message_id === messageId)?.content
}
