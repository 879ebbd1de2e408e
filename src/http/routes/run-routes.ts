import type { TokenRecord } from '../../access/access-store.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import { isOn } from '../../contract/fields.ts'
import { limits } from '../../contract/limits.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { runOperations as operations } from '../../contract/run-operations.ts'
import { nodeRecord, runRecord } from '../../contract/run-records.ts'
import type { FileService } from '../../files/file-service.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { derivedId } from '../../kernel/ids.ts'
import { otlpBody } from '../../tracing/otlp.ts'
import type { Graph } from '../../workflow/graph.ts'
import { usageOnWire } from '../../workflow/run/run-event.ts'
import {
  type RunInputs,
  type RunRequest,
  runFiles,
  runInputs,
  type StoredInputs,
} from '../../workflow/run/run-inputs.ts'
import { noRun, type Runs } from '../../workflow/run/run-service.ts'
import { nodeOfPath, readState } from '../../workflow/run/step-record.ts'
import type {
  OpenQuestion,
  RunError,
  RunRecord,
  RunSummary,
  StepRecord,
} from '../../workflow/run/store/run-records.ts'
import { Answer, JsonText, jsonHeaders, jsonObject, jsonOrNull } from '../answer.ts'
import { contentDisposition } from '../content-headers.ts'
import { eventStream, lastEventId } from '../event-stream.ts'
import { type Call, digestedMembers, fingerprintOf, idempotencyKey, type Route, route } from '../route.ts'
import { momentOf, wireWriter } from '../wire.ts'
import { maySee, mayUse } from './agent-access.ts'
import { traceOf } from './run-trace.ts'
import { type KeyedRun, type RunState, type RunWait, runState, sentEvents, startRun } from './run-waits.ts'

/** In a record `node_id` is null if no node caused the error; events omit it (`eventError`). */
const recordError = (error: RunError | undefined) =>
  error ? { reason: error.reason, message: error.message, node_id: error.step ?? null } : null

/** Without the engine's own fields. */
const waitingOnWire = (waiting: OpenQuestion | undefined) =>
  waiting ? { node_id: waiting.path, question: waiting.question, options: waiting.options } : null

/** Inputs in the form of the request. */
export function inputsOnWire(inputs: string) {
  const { query, files, action, more } = JSON.parse(inputs) as Partial<RunInputs>
  return { query, files, ...(action && { action }), ...more }
}

export const resultMembers = ({ run, messages }: RunState) => ({
  run_id: run.id,
  version: run.version,
  status: run.status,
  answer: run.answer,
  outputs: jsonOrNull(run.outputs),
  usage: usageOnWire(run),
  elapsed_ms: run.activeMilliseconds,
  error: recordError(run.error),
  waiting: waitingOnWire(run.waiting),
  messages,
})

const runOnWire = wireWriter(runRecord, { run_id: 'id', elapsed_ms: 'activeMilliseconds' })

const recordOnWire = (run: RunSummary) =>
  runOnWire({ ...run, error: recordError(run.error), usage: usageOnWire(run) })

export const listedOnWire = (run: RunSummary) => ({
  ...recordOnWire(run),
  // Cut between code points.
  answer: [...run.answer.slice(0, limits.listedAnswerLength * 2)]
    .slice(0, limits.listedAnswerLength)
    .join(''),
})

const stepOnWire = wireWriter(nodeRecord.properties)

const nodeOnWire = (step: StepRecord): JsonText => {
  const { finishedAt, startedAt } = step
  const members = stepOnWire({
    ...step,
    nodeId: nodeOfPath(step.path),
    inputs: jsonOrNull(step.inputs),
    outputs: jsonOrNull(step.outputs),
    error: recordError(step.error),
    tokens: usageOnWire(step),
    cost: readState(step.state).cost ?? 0,
    elapsedMs: finishedAt === undefined ? null : Math.max(0, finishedAt - startedAt),
  })
  return jsonObject(members)
}

export const detailsOnWire = (run: RunRecord, steps: readonly StepRecord[]): JsonText =>
  jsonObject({
    ...recordOnWire(run),
    chat_id: run.chatId,
    inputs: inputsOnWire(run.inputs),
    outputs: jsonOrNull(run.outputs),
    waiting: waitingOnWire(run.waiting),
    nodes: new JsonText(`[${steps.map(step => nodeOnWire(step).text).join(',')}]`),
  })

type Request = Call['request']

/** An Idempotency-Key determines the run, so that a retry finds it. `stream` and `wait` make no difference. */
async function keyedRun(
  call: Pick<Call, 'request' | 'members'>,
  ...more: [string, string][]
): Promise<KeyedRun | undefined> {
  const { request } = call
  const key = idempotencyKey(request)
  if (key === undefined) return undefined
  const secret = (request.headers.authorization ?? '').slice('Bearer '.length)
  const fingerprint = fingerprintOf([...(await digestedMembers(call, 'stream', 'wait')), ...more])
  return { runId: derivedId('run', [secret, key]), fingerprint }
}

/** A token that is bound to agents cannot run workflows directly. */
function refuseBound(token: TokenRecord): void {
  if (token.agentIds.length > 0)
    throw new AppError(
      'forbidden',
      'This token is bound to its agents and cannot run a workflow directly; use POST /api/v1/conversation/chat',
    )
}

/** A token that is bound to agents lists the runs of one of its agents. */
function listedAgent({ agentIds }: TokenRecord, requested: string | undefined): string | undefined {
  if (agentIds.length === 0) return requested
  if (requested === undefined && agentIds.length > 1)
    throw invalidField('query/agent_id', 'must be one of the agents of this token')
  const agentId = requested ?? agentIds[0]!
  if (!agentIds.includes(agentId))
    throw new AppError('forbidden', `This token may not use the agent ${agentId}`)
  return agentId
}

const waitOf = (request: Request, seconds: number | undefined): RunWait => ({
  seconds,
  stopping: request.server.stopping,
})

export function runRoutes(runs: Runs, files: FileService, quotas: Pick<QuotaService, 'admitRun'>): Route[] {
  const stream = (request: Request, workspaceId: string, runId: string, after: number): Answer =>
    eventStream(request, signal => sentEvents(runs.events(workspaceId, runId, after, signal)))

  /** For a token that is bound to agents, and maybe to a user, other runs do not exist. */
  const visible = async (token: TokenRecord, runId: string): Promise<RunRecord> => {
    const run = await runs.get(token.workspaceId, runId)
    if (!mayUse(token, run.agentId) || !maySee({ token, boundUser: token.userId }, run.userId))
      // The same error as for an unknown id, so that it does not reveal that the run exists.
      throw noRun(runId)
    return run
  }

  const answerRun = async (
    {
      token,
      body,
      request,
      reply,
    }: Call<typeof operations.run | typeof operations.rerun | typeof operations.debug>,
    runRequest: RunRequest,
    keyed: KeyedRun | undefined,
  ): Promise<unknown> => {
    const { workspaceId } = token
    const admit = (): Promise<void> => quotas.admitRun(token)
    const started = await startRun(runs, workspaceId, runRequest, { keyed, admit })
    if (!started.settled) reply.header('idempotency-replayed', 'true')
    if (isOn(body.stream)) return stream(request, workspaceId, started.runId, 0)
    const result = resultMembers(await runState(runs, workspaceId, started, waitOf(request, body.wait)))
    if (!('node_id' in body)) return jsonObject(result)
    const steps = await runs.steps(workspaceId, started.runId)
    const node = steps.find(step => step.path === body.node_id)
    return jsonObject({ ...result, node: node ? nodeOnWire(node) : null })
  }

  const run = async (call: Call<typeof operations.run>): Promise<unknown> => {
    const { token, body } = call
    refuseBound(token)
    const runRequest: RunRequest = {
      target: { workflowId: body.id, version: body.version ?? 'published' },
      trigger: 'run',
      inputs: await runInputs(files, token.workspaceId, { query: body.query, ...body.inputs }),
      ...(body.user_id !== undefined && { userId: body.user_id }),
    }
    return answerRun(call, runRequest, await keyedRun(call))
  }

  const rerun = async (call: Call<typeof operations.rerun>): Promise<unknown> => {
    const { token, body, params } = call
    refuseBound(token)
    const { workspaceId } = token
    const before = await visible(token, params.run_id)
    const { trial, ...stored } = JSON.parse(before.inputs) as StoredInputs
    if (trial)
      throw new AppError(
        'invalid_request',
        'This run is the test of a single node. Repeat it with POST /api/v1/workflow/debug.',
      )
    const { version = 'same' } = body
    const { workflowId, graph, agentId, userId } = before
    const runRequest: RunRequest = {
      target:
        graph === undefined
          ? { workflowId, version: version === 'same' ? before.version : version }
          : { graph: JSON.parse(graph) as Graph },
      trigger: 'run',
      inputs: body.inputs ? await runInputs(files, workspaceId, body.inputs) : stored,
      rerunOf: before.id,
      ...{ agentId, userId },
    }
    return answerRun(call, runRequest, await keyedRun(call, ['rerun', before.id]))
  }

  const exported = async (call: Call<typeof operations.exportRun>): Promise<Answer> => {
    const { token, params, query } = call
    const found = await visible(token, params.run_id)
    const steps = await runs.steps(token.workspaceId, params.run_id)
    const isOtlp = query.format === 'otlp'
    const text = isOtlp
      ? otlpBody({ 'service.name': 'banyan' }, '1', traceOf(found, steps, Date.now()))
      : detailsOnWire(found, steps).text
    const name = `${found.id}${isOtlp ? '.otlp' : ''}.json`
    return new Answer(
      200,
      { ...jsonHeaders, 'content-disposition': contentDisposition('attachment', name) },
      text,
    )
  }

  const debug = async (call: Call<typeof operations.debug>): Promise<unknown> => {
    const { token, body } = call
    const { id: workflowId, node_id: nodeId, outputs = {} } = body
    const inputs = await runInputs(files, token.workspaceId, body.inputs)
    const target = { workflowId, trial: { nodeId, outputs } }
    return answerRun(call, { target, trigger: 'debug', inputs }, await keyedRun(call, ['debug', nodeId]))
  }

  const resume = async (call: Call<typeof operations.resumeRun>): Promise<unknown> => {
    const { token, body, params, request } = call
    const before = await visible(token, params.run_id)
    if (before.trigger === 'chat')
      throw new AppError(
        'in_use',
        'This run belongs to a conversation; answer with the next message, POST /api/v1/conversation/chat',
      )
    await quotas.admitRun(token)
    const live = await runs.resume(token.workspaceId, params.run_id, {
      text: body.answer,
      files: await runFiles(files, token.workspaceId, body.files, '/files'),
      action: '',
    })
    if (isOn(body.stream)) return stream(request, token.workspaceId, live.runId, before.sequence)
    return jsonObject(
      resultMembers(await runState(runs, token.workspaceId, live, waitOf(request, body.wait))),
    )
  }

  return [
    route(operations.run, run),
    route(operations.variables, async ({ token, query }) => ({
      variables: await runs.variables(token.workspaceId, query.id, 'published'),
    })),
    route(operations.debug, debug),
    route(operations.rerun, rerun),
    route(operations.exportRun, exported),
    route(operations.runs, ({ token, query }) => {
      const filter = {
        workflowId: query.id,
        status: query.status,
        agentId: listedAgent(token, query.agent_id),
        conversationId: query.conversation_id,
        userId: token.userId ?? query.user_id,
        from: momentOf(query.from, 'query/from'),
        to: momentOf(query.to, 'query/to'),
        keyword: query.keyword,
      }
      const list = (page: PageRequest) => runs.list(token.workspaceId, filter, page)
      return pageAnswer(query, list, listedOnWire)
    }),
    route(operations.getRun, async ({ token, params }) => {
      const found = await visible(token, params.run_id)
      const steps = await runs.steps(token.workspaceId, params.run_id)
      // Inputs of nodes reveal how the agent is built, which is hidden from runners.
      const isBound = token.agentIds.length > 0
      return detailsOnWire(found, isBound ? steps.map(step => ({ ...step, inputs: undefined })) : steps)
    }),
    route(operations.runEvents, async ({ token, params, query, request }) => {
      const after = lastEventId(request) ?? query.after ?? 0
      // Checked before the stream begins, so that an unknown run has an error status.
      await visible(token, params.run_id)
      return stream(request, token.workspaceId, params.run_id, after)
    }),
    route(operations.stopRun, async ({ token, params }) => {
      await visible(token, params.run_id)
      return recordOnWire(await runs.stop(token.workspaceId, params.run_id))
    }),
    route(operations.resumeRun, resume),
  ]
}
