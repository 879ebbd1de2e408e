import { isDeepStrictEqual } from 'node:util'
import type { FuzzRequest } from './plan-request.ts'
import type { FuzzAnswer, Sender } from './send.ts'
import type { Caller, World } from './world.ts'

/** The workflow in the body, if it is JSON that contains one. */
function sentWorkflow(request: FuzzRequest): { id: unknown; workflow: unknown } | undefined {
  try {
    return JSON.parse(request.body?.toString('utf8') ?? '') as { id: unknown; workflow: unknown }
  } catch {
    return undefined
  }
}

/** A rejected request stores nothing; a successful one stores what was sent. */
export async function checkEffect(
  request: FuzzRequest,
  caller: Caller,
  answer: FuzzAnswer,
  sender: Sender,
): Promise<string[]> {
  if (request.freshId === undefined || caller.role === undefined || caller.role === 'runner') return []
  const found = await sender.send({
    method: 'GET',
    path: `/api/v1/workflow?id=${request.freshId}`,
    headers: { authorization: caller.authorization! },
    body: undefined,
  })
  const { data } = JSON.parse(found.bytes.toString('utf8')) as {
    data: { exist?: boolean; workflow?: { config: unknown } }
  }
  if (answer.status >= 400) return data.exist === false ? [] : ['it was refused and stored all the same']
  const sent = sentWorkflow(request)
  if (request.operation.name !== 'workflow.update' || sent?.id !== request.freshId) return []
  return isDeepStrictEqual(data.workflow?.config, sent.workflow)
    ? []
    : ['what was stored is not what was sent']
}

/** Tracks the files that must exist according to the responses. */
export function countFiles(request: FuzzRequest, caller: Caller, answer: FuzzAnswer, world: World): void {
  if (answer.status !== 200 || !request.reachesOperation) return
  const { name } = request.operation
  const isNew = answer.headers['idempotency-replayed'] === undefined
  const data = <Data>(): Data => (JSON.parse(answer.bytes.toString('utf8')) as { data: Data }).data
  if (name === 'files.upload' && isNew) world.fileCounts[caller.workspace]++
  // A text that is added to a knowledge base is stored as a file.
  if (name === 'knowledge.add' && isNew) {
    const { file_ids = [] } = JSON.parse(request.body!.toString('utf8')) as { file_ids?: string[] }
    const added = data<{ items: { file_id: string }[] }>().items
    world.fileCounts[caller.workspace] += added.filter(item => !file_ids.includes(item.file_id)).length
  }
  if (name === 'files.delete')
    world.fileCounts[caller.workspace] -= data<{ deleted: string[] }>().deleted.length
}
