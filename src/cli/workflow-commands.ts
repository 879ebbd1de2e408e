import { existsSync } from 'node:fs'
import type { Static } from 'typebox'
import { runOperations } from '../contract/run-operations.ts'
import { workflowOperations as operations } from '../contract/workflow-operations.ts'
import {
  type Arguments,
  type Command,
  checkArguments,
  columns,
  type Outcome,
  readObject,
  readWorkflow,
  UsageError,
  type WorkflowDocument,
} from './command.ts'
import { listAll, type ServerClient, serverCommand } from './server-client.ts'

type Data<Name extends keyof typeof operations> = Static<(typeof operations)[Name]['data']>
type Warning = Data<'check'>['warnings'][number]

const list: Command = serverCommand({
  name: 'workflow list',
  summary: 'List workflows, most recently updated first.',
  usage: '[--keyword TEXT]',
  example: 'workflow list --keyword report',
  work: async (client, { options: { keyword } }) => {
    const filter = checkArguments(operations.list.body, { keyword }, { keyword: '--keyword' })
    const items = await listAll<Data<'list'>['items'][number]>(client, operations.list, filter)
    const rows = items.map(({ id, version, published_version, updated_at, name }) => [
      id,
      String(version),
      published_version === null ? '-' : String(published_version),
      updated_at.slice(0, 10),
      name,
    ])
    const titles = ['ID', 'VERSION', 'PUBLISHED', 'UPDATED', 'NAME']
    return { text: columns(titles, rows, 'No workflows were found.'), json: { items } }
  },
})

const version = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text

const exportWorkflow: Command = serverCommand({
  name: 'workflow export',
  summary: 'Print a workflow as a portable JSON document, without secrets.',
  usage: 'ID [--version N]',
  example: 'workflow export wf_hello > hello.json',
  work: async (client, { argument: id, options }) => {
    const names = { id: 'ID', version: '--version' }
    const json = checkArguments(operations.export.body, { id, version: version(options['version']) }, names)
    const { document } = await client.call<Data<'export'>>(operations.export, { json })
    return { text: JSON.stringify(document, undefined, 2), json: document }
  },
})

/** Findings as a table; those that prevent a run come first. */
function findingsText(findings: readonly (Pick<Warning, 'path' | 'message'> & Partial<Warning>)[]): string {
  const rows = findings
    .map(({ path, message, blocking = true }) => [blocking ? 'blocking' : 'note', path, message])
    .sort(([one], [other]) => one!.localeCompare(other!))
  return columns(['PROBLEM', 'PLACE', 'MESSAGE'], rows, 'No problems were found.')
}

const check: Command = serverCommand({
  name: 'workflow check',
  summary: 'Check a workflow in a file, or a stored one, without storing or running it.',
  details: `WORKFLOW is the path of an exported file or of a graph, or the id of a stored workflow. The exit code is 0 if the workflow
can run, possibly with warnings, and 1 if it cannot.`,
  usage: 'WORKFLOW',
  example: 'workflow check hello.json',
  work: async (client, { argument }) => {
    const json = existsSync(argument) ? { workflow: await graphIn(argument) } : storedWorkflow(argument)
    const data = await client.call<Data<'check'>>(operations.check, { json })
    const { runnable, errors, warnings } = data
    const left = errors.length + warnings.filter(({ blocking }) => blocking).length
    return {
      text: findingsText([...errors, ...warnings]),
      json: data,
      problem: runnable ? undefined : `${argument} cannot run: ${problems(left)}.`,
    }
  },
})

async function graphIn(path: string): Promise<unknown> {
  const read = await readWorkflow(path)
  if ('workflow' in read) return read.workflow
  throw new UsageError(
    `The file ${path} is not a workflow: it has neither "workflow" nor "nodes" and "edges".`,
  )
}

/** The id of a stored workflow. An argument like a path is an error: it is rather a mistyped file. */
function storedWorkflow(argument: string): { id: string } {
  if (/[./\\]/.test(argument)) throw new UsageError(`There is no file ${argument}.`)
  return checkArguments(operations.check.body, { id: argument }, { id: 'WORKFLOW' }) as { id: string }
}

/** The answer to an import or an update. */
type Stored = Data<'update'> & Partial<Omit<Data<'import'>, keyof Data<'update'>>>

const importWorkflow: Command = serverCommand({
  name: 'workflow import',
  summary: 'Import a workflow or an app from a file.',
  details: `FILE is the output of "workflow export", a graph, or an app exported from Dify. Without --id, the workflow gets a new
id. With --id, it is stored under that id, which must not exist; with --replace, the file becomes the newest version of the
existing workflow. --knowledge replaces knowledge bases of the file with existing ones: FOREIGN=ID,FOREIGN=ID. The exit
code is 1 if the stored workflow cannot run.`,
  usage: 'FILE [--id ID] [--name NAME] [--knowledge PAIRS] [--replace]',
  example: 'workflow import hello.json --id wf_hello --replace',
  work: async (client, given) => {
    const { options, flags } = given
    const read = await readWorkflow(given.argument)
    const id = options['id']
    if (flags.has('replace') && id === undefined) throw new UsageError('--replace: needs --id.')
    const stored =
      flags.has('replace') && 'workflow' in read
        ? await replace(client, given, read)
        : await client.call<Stored>(operations.import, { json: importBody(given, read) })
    return storedOutcome({ ...stored, id: stored.id ?? id ?? '' })
  },
})

function importBody(
  { options: { id, name, knowledge } }: Arguments,
  read: WorkflowDocument | { content: string },
) {
  const names = { id: '--id', name: '--name' }
  const given = checkArguments(operations.import.body, { id, name }, names)
  if ('content' in read)
    return { ...read, ...given, ...(knowledge !== undefined && { knowledge: pairsIn(knowledge) }) }
  const { id: under, ...named } = given
  const document = { format: 'banyan.workflow', format_version: 1, settings: {}, ...read, ...named }
  return { document, ...(under !== undefined && { id: under }) }
}

function pairsIn(text: string): Record<string, string> {
  const pairs = text.split(',').map(pair => pair.split('='))
  if (pairs.some(pair => pair.length !== 2 || pair.some(part => part.trim() === '')))
    throw new UsageError('--knowledge: must have the form FOREIGN=ID,FOREIGN=ID.')
  return Object.fromEntries(pairs.map(([foreign, own]) => [foreign!.trim(), own!.trim()]))
}

function replace(client: ServerClient, { options }: Arguments, { workflow, name }: WorkflowDocument) {
  const { id } = checkArguments(operations.delete.body, { id: options['id'] }, { id: '--id' })
  const called = options['name'] ?? name
  const json = { id, workflow, ...(called !== undefined && { name: called }) }
  return client.call<Stored>(operations.update, { json })
}

function storedOutcome(stored: Stored & { id: string }): Outcome {
  const { id, version: number, message = 'created', agent_id, warnings, report = [] } = stored
  const blocking = warnings.filter(warning => warning.blocking).length
  const rows = report.map(each => [each.state, each.node_id, each.kind, each.message])
  return {
    text: [
      `The workflow ${id} was ${message === 'unchanged' ? 'not changed' : message}: version ${number}.`,
      ...(agent_id ? [`The agent ${agent_id} answers with it.`] : []),
      ...(rows.length > 0 ? [columns(['STATE', 'NODE', 'KIND', 'MESSAGE'], rows)] : []),
      ...(warnings.length > 0 ? [findingsText(warnings)] : []),
    ].join('\n\n'),
    json: { ...stored, message },
    problem: blocking === 0 ? undefined : `${id} cannot run yet: ${problems(blocking)}.`,
  }
}

const problems = (count: number): string => `${count} ${count === 1 ? 'problem' : 'problems'}`

/** `importWorkflow` under a short name, for apps of other platforms. */
const importApp: Command = { ...importWorkflow, name: 'import', example: 'import app.yml' }

type RunResult = Static<(typeof runOperations.run)['data']>
type RunDetails = Static<(typeof runOperations.getRun)['data']>

const waitSeconds = 10
const pollMilliseconds = 1000

const isOver = ({ status }: Pick<RunResult, 'status'>): boolean => status !== 'queued' && status !== 'running'

const getRun = (client: ServerClient, id: string): Promise<RunDetails> => {
  const { method, path } = runOperations.getRun
  return client.call(
    { method, path: path.replace('{run_id}', encodeURIComponent(id)) },
    // The server may restart meanwhile, and continues the run.
    { maxAttempts: 6 },
  )
}

const run: Command = serverCommand({
  name: 'workflow run',
  summary: 'Run a stored workflow and print its answer.',
  details: `--inputs is a JSON file (or /dev/stdin) with an object; --query sets its member "query". --version is a number or "draft";
by default the published version runs, or the newest if none is published. Prints the answer, or the outputs if there is no
answer. The exit code is 0 if the run succeeded, and 1 if it failed, was stopped, or waits for an answer. Ctrl-C stops
waiting, not the run.`,
  usage: 'ID [--query TEXT] [--inputs FILE] [--version VERSION] [--user ID]',
  example: "workflow run wf_hello --query 'Hello'",
  work: async (client, { argument: id, options }, signal) => {
    const { query, inputs: file, user } = options
    const inputs = file === undefined ? undefined : await readObject(file)
    const json = checkArguments(
      runOperations.run.body,
      {
        ...{ id, inputs, query, user_id: user, wait: waitSeconds },
        version: version(options['version']),
      },
      { id: 'ID', query: '--query', inputs: '--inputs', version: '--version', user_id: '--user' },
    )
    const started = await client.call<RunResult>(runOperations.run, { json })
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
    const target = workflow_id ? `workflow ${workflow_id}, version ${version}` : `agent ${agent_id}`
    return {
      text: [
        `${run_id}: ${status} after ${elapsed_ms} ms (${target}, ${created_at})`,
        columns(['NODE', 'KIND', 'STATUS', 'MS', 'ERROR'], rows, 'No node has started.'),
        ...[problemOf(found) ?? '', answer].filter(text => text !== ''),
      ].join('\n\n'),
      json: found,
    }
  },
})

export const workflowCommands = [list, exportWorkflow, check, importWorkflow, importApp, run, show]
