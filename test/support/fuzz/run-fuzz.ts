import { checkEffect, countFiles } from './effects.ts'
import { FuzzResult } from './fuzz-result.ts'
import { type FuzzOperation, type Interface, readInterface } from './interface.ts'
import { violations } from './invariants.ts'
import { malformedWire, tryWire } from './malformed-wire.ts'
import { type FuzzRequest, planRequest } from './plan-request.ts'
import { Random } from './random.ts'
import { Sender } from './send.ts'
import { type Caller, createWorld, pickCaller, type World } from './world.ts'

export interface FuzzOptions {
  base: string
  /** The operator's token. */
  token: string
  dataDir: string
  /** Base URL of a model provider that the server may call. */
  modelUrl: string
  seed: number
  requests: number
  /** Sends only the request with this number, for debugging. */
  only?: number | undefined
  /** Whether the server still runs; without it nothing more is sent. */
  isAlive?: () => boolean
  report?: (text: string) => void
}

const workers = 8
/** The number of requests between two checks of the stored data, which take longer the more is stored. */
const batchSizeOf = (requests: number): number => Math.max(500, Math.ceil(requests / 200))
/** Requests that are broken below HTTP. Not those that change files, since their effect would be unknown. */
const wireShare = 0.03

interface Run {
  options: FuzzOptions
  api: Interface
  world: World
  sender: Sender
  result: FuzzResult
}

/** Operations with more to mutate get more requests. */
function pickOperation(api: Interface, random: Random): FuzzOperation {
  const weights = api.operations.map(
    ({ fields, body, takesFiles }) => 1 + fields.length + (body ? 6 : 0) + (takesFiles ? 8 : 0),
  )
  let at = random.next() * weights.reduce((sum, weight) => sum + weight, 0)
  const chosen = weights.findIndex(weight => {
    at -= weight
    return at < 0
  })
  return api.operations[Math.max(chosen, 0)]!
}

async function send(
  { api, world, sender }: Run,
  request: FuzzRequest,
  caller: Caller,
): Promise<{ status: string; milliseconds: number; problems: string[] }> {
  const headers = { ...request.headers }
  if (caller.authorization !== undefined) headers['authorization'] = caller.authorization
  try {
    const answer = await sender.send({ ...request, headers })
    countFiles(request, caller, answer, world)
    const problems = violations(request, caller, answer, api, world.secrets)
    problems.push(...(await checkEffect(request, caller, answer, sender)))
    return { status: String(answer.status), milliseconds: answer.milliseconds, problems }
  } catch (error) {
    return { status: 'none', milliseconds: 0, problems: [`no answer: ${(error as Error).message}`] }
  }
}

async function tryRequest(run: Run, index: number): Promise<void> {
  const { options, api, world, result } = run
  const random = Random.of(options.seed, index)
  const operation = pickOperation(api, random)
  const caller = pickCaller(world, operation.access, random)
  const request = planRequest(operation, world.known, `fz_${options.seed}_${index}`, random)
  if (!operation.name.startsWith('files.') && random.chance(wireShare)) {
    const wire = malformedWire(request, caller.authorization, random)
    const problems = await tryWire(options.base, wire, api)
    return result.add(request, caller, index, { status: 'broken HTTP', milliseconds: 0, problems })
  }
  result.add(request, caller, index, await send(run, request, caller))
}

async function runBatch(run: Run, start: number, end: number): Promise<void> {
  await run.world.refresh()
  let next = start
  const work = async (): Promise<void> => {
    while (next < end) await tryRequest(run, next++)
  }
  await Promise.all(Array.from({ length: workers }, work))
  for (const problem of await run.world.check()) run.result.fail(`after request ${end - 1}: ${problem}`)
}

/** Sends seeded fuzz to every published operation and checks each response. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { only, requests, isAlive = () => true, report = () => {} } = options
  const api = await readInterface(options.base)
  const world = await createWorld(options)
  const sender = new Sender(options.base)
  const run: Run = { options, api, world, sender, result: new FuzzResult(report) }
  const end = only === undefined ? requests : only + 1
  try {
    const batchSize = batchSizeOf(requests)
    for (let start = only ?? 0; start < end && isAlive(); start += batchSize) {
      await runBatch(run, start, Math.min(start + batchSize, end))
      if (Math.floor((start + batchSize) / 10_000) > Math.floor(start / 10_000))
        report(`${run.result.sent} requests sent, ${run.result.failures.length} failed`)
    }
  } finally {
    sender.close()
  }
  return run.result
}
