import type { Static } from 'typebox'
import { runOperations as operations } from '../contract/run-operations.ts'
import { type Command, checkArguments, columns, type Outcome } from './command.ts'
import { readObject } from './read-document.ts'
import type { ServerClient } from './server-client.ts'
import { serverCommand } from './server-command.ts'

type RunResult = Static<(typeof operations.run)['data']>
type RunDetails = Static<(typeof operations.getRun)['data']>

const waitSeconds = 10
const pollMilliseconds = 1000

const isOver = ({ status }: Pick<RunResult, 'status'>): boolean => status !== 'queued' && status !== 'running'

const getRun = (client: ServerClient, id: string): Promise<RunDetails> => {
  const { method, path } = operations.getRun
  return client.call(
    { method, path: path.replace('{run_id}', encodeURIComponent(id)) },
    // The server may restart meanwhile, and continues the run.
    { maxAttempts: 6 },
  )
}

const run: Command = serverCommand({
  name: 'workflow run',
  summary: 'Run a stored workflow and print its answer.',
  details: `--inputs is a file with a JSON object, such as /dev/stdin; --query is short for its "query". --version is a number or "draft";
without it the published version runs, or the newest. Prints the answer, or the outputs if there is none. The exit code
is 0 when the run succeeded, and 1 when it failed, was stopped, or waits for an answer. Ctrl-C stops waiting, not the run.`,
  usage: 'ID [--query TEXT] [--inputs FILE] [--version VERSION] [--user ID]',
  example: "workflow run wf_hello --query 'Hello'",
  work: async (client, { argument: id, options }, signal) => {
    const { query, inputs: file, version, user } = options
    const inputs = file === undefined ? undefined : await readObject(file)
    const json = checkArguments(
      operations.run.body,
      {
        ...{ id, inputs, query, user_id: user, wait: waitSeconds },
        version: version !== undefined && /^\d+$/.test(version) ? Number(version) : version,
      },
      { id: 'ID', query: '--query', inputs: '--inputs', version: '--version', user_id: '--user' },
    )
    const started = await client.call<RunResult>(operations.run, { json })
    return runOutcome(await untilOver(client, started, signal))
  },
})

/** The run when it has ended or waits. */
async function untilOver(client: ServerClient, started: RunResult, signal: AbortSignal) {
  let current: RunResult | RunDetails = started
  try {
    while (!isOver(current)) {
      await client.pause(pollMilliseconds)
      current = await getRun(client, started.run_id)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`Stopped waiting; the run continues. To see it: run show ${started.run_id}`)
  }
  const { run_id, version, status, answer, outputs, usage, elapsed_ms, error, waiting } = current
  return { run_id, version, status, answer, outputs, usage, elapsed_ms, error, waiting }
}

function runOutcome(ended: Awaited<ReturnType<typeof untilOver>>): Outcome {
  const { answer, outputs } = ended
  return {
    text: answer !== '' ? answer : JSON.stringify(outputs ?? {}, undefined, 2),
    json: ended,
    problem: problemOf(ended),
  }
}

function problemOf({
  run_id,
  status,
  error,
  waiting,
}: Pick<RunDetails, 'run_id' | 'status' | 'error' | 'waiting'>) {
  if (status === 'succeeded') return undefined
  if (status === 'waiting') return `The run ${run_id} waits for an answer: ${waiting?.question ?? ''}`
  if (status !== 'failed') return `The run ${run_id} was stopped.`
  const node = error?.node_id ? ` in node ${error.node_id}` : ''
  return `The run ${run_id} failed${node}: ${error?.message ?? 'the server gives no reason'}`
}

const show: Command = serverCommand({
  name: 'run show',
  summary: 'Show a run with the state of every node.',
  usage: 'ID',
  example: 'run show run_Zk3xV0m2q1c5b7n9d1f3gA',
  work: async (client, { argument: id }) => {
    const found = await getRun(client, id)
    const rows = found.nodes.map(({ path, kind, status, elapsed_ms, error }) => [
      path,
      kind,
      status,
      elapsed_ms === null ? '-' : String(elapsed_ms),
      error?.message ?? '',
    ])
    const { run_id, workflow_id, agent_id, version, status, created_at, elapsed_ms, answer } = found
    const what = workflow_id ? `workflow ${workflow_id}, version ${version}` : `agent ${agent_id}`
    return {
      text: [
        `${run_id}: ${status} after ${elapsed_ms} ms (${what}, ${created_at})`,
        columns(['NODE', 'KIND', 'STATUS', 'MS', 'ERROR'], rows, 'No node has started.'),
        ...[problemOf(found) ?? '', answer].filter(text => text !== ''),
      ].join('\n\n'),
      json: found,
    }
  },
})

export const runCommands = [run, show]
