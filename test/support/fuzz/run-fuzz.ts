import { checkEffect, countFiles } from './effects.ts'
import { FuzzResult } from './fuzz-result.ts'
import { type FuzzOperation, type Interface, readInterface } from './interface.ts'
import { violations } from './invariants.ts'
import { type FuzzRequest, planRequest } from './plan-request.ts'
import { Random } from './random.ts'
import { Sender } from './send.ts'
import { brokenWire, tryWire } from './wire-faults.ts'
import { type Caller, createWorld, pickCaller, type World } from './world.ts'

export interface FuzzOptions {
  base: string
  /** The operator's token. */
  token: string
  dataDir: string
  seed: number
  requests: number
  /** Sends only the request with this number, for debugging. */
  only?: number | undefined
  /** Further checks to run now and then; returns what is wrong. */
  check?: () => string[]
  report?: (text: string) => void
}

const workers = 8
/** The number of requests between two checks of the stored data. */
const batchSize = 500
const maxFailures = 50
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
    const wire = brokenWire(request, caller.authorization, random)
    const problems = await tryWire(options.base, wire, api)
    return result.add(request, caller, index, { status: 'broken HTTP', milliseconds: 0, problems })
  }
  result.add(request, caller, index, await send(run, request, caller))
}

async function runBatch(run: Run, start: number, end: number): Promise<void> {
  let next = start
  const work = async (): Promise<void> => {
    while (next < end) await tryRequest(run, next++)
  }
  await Promise.all(Array.from({ length: workers }, work))
  for (const problem of [...(run.options.check?.() ?? []), ...(await run.world.check())])
    run.result.fail(`after request ${end - 1}: ${problem}`)
}

/** Sends seeded fuzz to every published operation and checks each response. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { base, token, dataDir, only, requests, report = () => {} } = options
  const api = await readInterface(base)
  const world = await createWorld(base, token, dataDir)
  const sender = new Sender(base)
  const run: Run = { options, api, world, sender, result: new FuzzResult(report) }
  const end = only === undefined ? requests : only + 1
  try {
    for (let start = only ?? 0; start < end; start += batchSize) {
      await runBatch(run, start, Math.min(start + batchSize, end))
      if (run.result.failures.length > maxFailures) break
      if (start > 0 && start % 10_000 === 0) report(`${start} requests sent`)
    }
  } finally {
    sender.close()
  }
  return run.result
}
