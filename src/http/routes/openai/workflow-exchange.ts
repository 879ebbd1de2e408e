import type { Message } from '../../../conversations/conversation.ts'
import { endsTurn, type TurnEvent, turnEventMapper, usageAt } from '../../../conversations/turn-events.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { RunEvent } from '../../../workflow/run/run-event.ts'
import { type RunInputs, type RunRequest, runFileOf } from '../../../workflow/run/run-inputs.ts'
import type { Runs } from '../../../workflow/run/run-service.ts'
import { isActive, type RunRecord } from '../../../workflow/run/store/run-records.ts'
import type { HistoryEntry, RunFile, TokenUsage } from '../../../workflow/step.ts'
import { type StartedRun, startRun as startOnce } from '../run-waits.ts'
import {
  type Exchange,
  instructed,
  latestOf,
  notComplete,
  type OpenaiParts,
  type Question,
  referredMessage,
} from './exchange.ts'
import { storeFiles } from './files.ts'
import { idPart, referenceOf } from './item-ids.ts'

/** Runs a workflow, or answers the question for which its previous run waits. */
export async function startRun(
  parts: OpenaiParts,
  question: Question,
  workspaceId: string,
  workflowId: string,
): Promise<Exchange> {
  const { runs, quotas } = parts
  // A workflow is found only with a token.
  const token = question.token!
  const { input, keyed } = question
  const previous = await previousRun(runs, question, workspaceId, workflowId)
  if (keyed && previous?.chatId === keyed.chatId) throw answeredAlready(question)
  if (previous && isActive(previous.status)) throw notComplete(`resp_${idPart(previous.id)}`)
  const history = await historyOf(parts, question, previous, workspaceId)
  const files = (await storeFiles(parts, token, input.message.files)).map(runFileOf)
  const admit = (): Promise<void> => quotas.admitRun(token)
  if (previous?.status === 'waiting') {
    await admit()
    const reply = { text: input.message.text, files, action: '' }
    return exchangeOf(
      runs,
      workspaceId,
      await runs.resume(workspaceId, previous.id, reply, keyed?.chatId),
      previous,
    )
  }
  const request: RunRequest = {
    target: { workflowId },
    trigger: 'run',
    inputs: inputsOf(question, files, history),
    ...(question.userId !== undefined && { userId: question.userId }),
  }
  const started = await startOnce(runs, workspaceId, request, { keyed, admit }).catch(blameModel)
  return exchangeOf(runs, workspaceId, started)
}

/** The fields of a graph are not part of the request. */
function blameModel(error: unknown): never {
  if (!(error instanceof AppError) || error.reason !== 'workflow_not_runnable') throw error
  const errors = [{ path: '/model', message: 'is a workflow that cannot run' }]
  throw new AppError(error.reason, error.message, { errors })
}

/** It is unknown which part of the run belongs to the earlier request. */
const answeredAlready = ({ continues }: Question): AppError =>
  new AppError(
    'version_conflict',
    `A request with this Idempotency-Key has answered the question already; GET /v1/responses/${continues && 'responseId' in continues ? continues.responseId : ''} returns the result`,
    { errors: [{ path: 'header/Idempotency-Key', message: 'was used already' }] },
  )

const inputsOf = (
  { input, inputs }: Question,
  files: RunFile[],
  history: readonly HistoryEntry[],
): RunInputs => ({ query: input.message.text, files, action: '', history, more: instructed(inputs, input) })

async function previousRun(
  runs: Runs,
  { continues }: Question,
  workspaceId: string,
  workflowId: string,
): Promise<RunRecord | undefined> {
  if (!continues) return undefined
  if ('conversationId' in continues)
    throw new AppError('invalid_request', 'A workflow has no conversations; use previous_response_id', {
      errors: [{ path: continues.pointer, message: 'must be omitted for a workflow' }],
    })
  const reference = referenceOf('resp', continues.responseId)
  const run = reference && 'runId' in reference && (await runs.find(workspaceId, reference.runId))
  // The run of a conversation continues there, and that of a single node is no response.
  if (!run || run.workflowId !== workflowId || run.conversationId !== '' || run.trigger === 'debug')
    throw new AppError('not_found', `There is no response ${continues.responseId} of this workflow`, {
      errors: [{ path: '/previous_response_id', message: 'does not exist' }],
    })
  return run
}

/** The history of the previous run with its answer, then the messages that the client sent, up to the limits. */
async function historyOf(
  parts: OpenaiParts,
  { token, input }: Question,
  previous: RunRecord | undefined,
  workspaceId: string,
): Promise<HistoryEntry[]> {
  const { query = '', history = [] } = previous ? (JSON.parse(previous.inputs) as RunInputs) : {}
  const said: HistoryEntry[] = [...history]
  if (previous) said.push({ role: 'user', content: query }, { role: 'assistant', content: previous.answer })
  for (const sent of input.earlier) {
    const { role, text } =
      'reference' in sent ? await referredMessage(parts, { token, workspaceId, agentId: '' }, sent) : sent
    said.push({ role, content: text })
  }
  return latestOf(said)
}

function exchangeOf(
  runs: Runs,
  workspaceId: string,
  { runId, settled: live }: StartedRun,
  before?: RunRecord,
): Exchange {
  const settled = async (signal: AbortSignal): Promise<RunRecord> => {
    const run = await runs.settled(workspaceId, runId, signal)
    signal.throwIfAborted()
    return run
  }

  let spent: TokenUsage | undefined
  async function* events(signal: AbortSignal, withRun: boolean): AsyncGenerator<TurnEvent> {
    const toTurnEvent = turnEventMapper(true, withRun)
    const replies: Message[] = []
    let asked: Extract<RunEvent, { event: 'run.waiting' }> | undefined
    for await (const event of runs.events(workspaceId, runId, before?.sequence ?? 0, signal)) {
      if (event.event === 'message') {
        const { message_id: id, data_type: dataType, content, file_list, timestamp: at } = event.fields
        replies.push({ id, chatId: '', role: 1, dataType, content, fileIds: file_list, at })
      }
      const mapped = toTurnEvent(event)
      if (mapped) yield mapped
      if (!endsTurn(event)) continue
      spent = usageAt(event)
      // A later request may have answered the question since then.
      if (event.event === 'run.waiting') asked = event
      break
    }
    if (signal.aborted) return
    const ids = { conversationId: '', chatId: '', runId, messageId: '' }
    if (asked) {
      const end = { error: undefined, waiting: asked.fields, isStopped: false }
      yield { id: asked.seq, event: 'end', answer: { ...ids, replies, ...end } }
      return
    }
    const { error, waiting, sequence, status } = await settled(signal)
    const end = { error, waiting, isStopped: status === 'stopped' }
    yield { id: sequence, event: 'end', answer: { ...ids, replies, ...end } }
  }

  return {
    id: idPart(runId),
    ...{ workspaceId, runId, conversationId: '', isReplay: !live, events },
    answer: async signal => {
      for await (const event of events(signal, false)) if (event.event === 'end') return event.answer
      throw signal.reason
    },
    usage: async signal => spentSince(spent ?? (await settled(signal)), before),
  }
}

const spentSince = (run: TokenUsage, before: TokenUsage | undefined): TokenUsage => ({
  promptTokens: run.promptTokens - (before?.promptTokens ?? 0),
  completionTokens: run.completionTokens - (before?.completionTokens ?? 0),
})
