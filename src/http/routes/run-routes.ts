import { hash } from 'node:crypto'
import type { TokenRecord } from '../../access/access-store.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import { runOperations as operations } from '../../contract/run-operations.ts'
import type { FileService } from '../../files/file-service.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import type { RunRecord } from '../../workflow/run/run-store.ts'
import type { RunRequest, Runs } from '../../workflow/run/runs.ts'
import type { Answer } from '../answer.ts'
import { type Call, type Route, route } from '../call.ts'
import { eventStream, lastEventId } from '../event-stream.ts'
import { refuseInexact } from '../exact-numbers.ts'
import { jsonObject } from '../json-text.ts'
import { idempotencyKey } from '../register-route.ts'
import { runFiles, runInputs } from './run-inputs.ts'
import { detailsOnWire, listedOnWire, nodeOnWire, recordOnWire, resultMembers } from './run-on-wire.ts'
import { beginRun, type KeyedRun, type Patience, sentEvents, standing } from './run-waits.ts'

type Request = Call['request']

/**
 * With an Idempotency-Key the request decides the id of its run, so that sending it again finds that run however long
 * it takes. The token is part of it: nobody else can work the id out. How the answer is wanted makes no difference.
 */
function keyedRun({ request, members }: Pick<Call, 'request' | 'members'>): KeyedRun | undefined {
  const key = idempotencyKey(request)
  if (key === undefined) return undefined
  const secret = (request.headers.authorization ?? '').slice('Bearer '.length)
  const sent = [...members]
    .filter(([name]) => name !== 'stream' && name !== 'wait')
    .map(([name, { text }]) => [name, text])
  const digest = hash('sha256', JSON.stringify([secret, key]), 'buffer')
  return {
    runId: `run_${digest.subarray(0, 16).toString('base64url')}`,
    fingerprint: hash('sha256', JSON.stringify(sent)),
  }
}

/** Runs of workflows by themselves are for whoever may see all of the workspace. */
function refuseBound(token: TokenRecord): void {
  if (token.agentIds.length > 0)
    throw new AppError(
      'forbidden',
      'This token is bound to its agents and may not run a workflow by itself; use POST /api/v1/conversation/chat',
    )
}

/** A token that is bound to agents lists the runs of one of them. */
function listedAgent({ agentIds }: TokenRecord, wish: string | undefined): string | undefined {
  if (agentIds.length === 0) return wish
  if (wish === undefined && agentIds.length > 1)
    throw invalidField('query/agent_id', 'must name one of the agents that this token is bound to')
  const agentId = wish ?? agentIds[0]!
  if (!agentIds.includes(agentId))
    throw new AppError('forbidden', `This token was made for other agents than ${agentId}`)
  return agentId
}

const patienceOf = (request: Request, seconds: number | undefined): Patience => ({
  seconds,
  stopping: request.server.stopping,
})

export function runRoutes(runs: Runs, files: FileService): Route[] {
  const stream = (request: Request, workspaceId: string, runId: string, after: number): Answer =>
    eventStream(request, signal => sentEvents(runs.events(workspaceId, runId, after, signal)))

  /** To a token that is bound to agents the runs of others are not there. */
  const visible = async ({ workspaceId, agentIds }: TokenRecord, runId: string): Promise<RunRecord> => {
    const run = await runs.get(workspaceId, runId)
    if (agentIds.length > 0 && !agentIds.includes(run.agentId))
      throw new AppError('not_found', 'There is no such run')
    return run
  }

  const run = async (call: Call<typeof operations.run>): Promise<unknown> => {
    const { token, body, request, reply, members } = call
    refuseBound(token)
    refuseInexact(members, ['inputs'])
    const wish: RunRequest = {
      what: { workflowId: body.id, version: body.version },
      trigger: 'run',
      inputs: await runInputs(files, token.workspaceId, body.inputs),
      ...(body.user_id !== undefined && { userId: body.user_id }),
    }
    const begun = await beginRun(runs, token.workspaceId, wish, keyedRun(call))
    if (begun.wasKnown) reply.header('idempotency-replayed', 'true')
    if (body.stream === 1) return stream(request, token.workspaceId, begun.runId, 0)
    const stands = await begun.standing(patienceOf(request, body.wait))
    return jsonObject(resultMembers(stands.run, stands.messages))
  }

  const debug = async (call: Call<typeof operations.debug>): Promise<unknown> => {
    const { token, body, members, request } = call
    refuseInexact(members, ['inputs', 'outputs'])
    const live = await runs.debug(token.workspaceId, {
      workflowId: body.id,
      nodeId: body.node_id,
      inputs: await runInputs(files, token.workspaceId, body.inputs),
      outputs: body.outputs ?? {},
    })
    const stands = await standing(runs, token.workspaceId, live, patienceOf(request, undefined))
    const steps = await runs.steps(token.workspaceId, live.runId)
    const node = steps.find(step => step.path === body.node_id)
    return jsonObject({
      ...resultMembers(stands.run, stands.messages),
      node: node ? nodeOnWire(node) : null,
    })
  }

  const resume = async (call: Call<typeof operations.resume>): Promise<unknown> => {
    const { token, body, params, request } = call
    const before = await visible(token, params.run_id)
    if (before.trigger === 'chat')
      throw new AppError(
        'in_use',
        'This run belongs to a conversation: answer it with the next message, POST /api/v1/conversation/chat',
      )
    const live = await runs.resume(token.workspaceId, params.run_id, {
      text: body.answer,
      files: await runFiles(files, token.workspaceId, body.files, '/files'),
      action: '',
    })
    if (body.stream === 1) return stream(request, token.workspaceId, live.runId, before.sequence)
    const stands = await standing(runs, token.workspaceId, live, patienceOf(request, body.wait))
    return jsonObject(resultMembers(stands.run, stands.messages))
  }

  return [
    route(operations.run, run),
    route(operations.debug, debug),
    route(operations.list, async ({ token, query }) => {
      const page = pageRequest(query)
      const filter = {
        workflowId: query.id,
        status: query.status,
        agentId: listedAgent(token, query.agent_id),
        conversationId: query.conversation_id,
      }
      const { total, items } = await runs.list(token.workspaceId, filter, page)
      return pageAnswer(page, { total, items: items.map(listedOnWire) })
    }),
    route(operations.get, async ({ token, params }) => {
      const found = await visible(token, params.run_id)
      const steps = await runs.steps(token.workspaceId, params.run_id)
      // What a node was handed tells how the agent is made, which is not a client's business.
      const isBound = token.agentIds.length > 0
      return detailsOnWire(found, isBound ? steps.map(step => ({ ...step, inputs: undefined })) : steps)
    }),
    route(operations.events, async ({ token, params, query, request }) => {
      const after = lastEventId(request) ?? query.after ?? 0
      // Asked for before the stream begins: an unknown run is refused with a status.
      await visible(token, params.run_id)
      return stream(request, token.workspaceId, params.run_id, after)
    }),
    route(operations.stop, async ({ token, params }) => {
      await visible(token, params.run_id)
      return recordOnWire(await runs.stop(token.workspaceId, params.run_id))
    }),
    route(operations.resume, resume),
  ]
}
