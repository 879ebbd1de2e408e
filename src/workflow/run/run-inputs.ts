import type { InputVariable } from '../../contract/input-variable.ts'
import { limits } from '../../contract/limits.ts'
import { basePath } from '../../contract/operation.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { Graph } from '../graph.ts'
import { fileExtension, fileType, resolveVariables, type VariableFile } from '../input-variables.ts'
import type { HistoryEntry, Reply, RunFile, SystemValues } from '../step.ts'
import type { Trial, VersionChoice } from './plans.ts'
import type { RunRecord, RunTrigger } from './store/run-records.ts'
import { textOfValue } from './template.ts'

export interface RunInputs {
  query: string
  files: readonly RunFile[]
  /** The content of an action message. */
  action: string
  /** Earlier messages that the caller sent. A run of a conversation has those of the conversation instead. */
  history?: readonly HistoryEntry[]
  /** All other inputs that the caller sent. */
  more: Readonly<Record<string, unknown>>
}

/** As they are stored with a run. */
export interface StoredInputs extends RunInputs {
  trial?: Trial
}

export interface RunRequest {
  /** A stored graph, one node of it alone, or a graph of the request itself. */
  target:
    | { workflowId: string; version?: VersionChoice | undefined }
    | { workflowId: string; trial: Trial }
    | { graph: Graph }
  trigger: RunTrigger
  inputs: RunInputs
  /** Finds the files of its variables, where its caller may not use every file of the workspace. */
  files?: FileLookup
  /** Chosen by the caller where it must be known before the run starts. */
  runId?: string
  agentId?: string
  conversationId?: string
  chatId?: string
  userId?: string
  /** The schedule or webhook that starts it. */
  triggerId?: string
  /** The run that it repeats. */
  rerunOf?: string
}

interface StoredFile {
  id: string
  name: string
  mimeType: string
  size: number
}

/** Finds the files of a workspace. */
export interface FileLookup {
  info(workspaceId: string, ids: string[]): Promise<{ items: readonly StoredFile[] }>
}

export const runFileOf = ({ id, name, mimeType, size }: StoredFile): RunFile => ({
  ...{ file_id: id, name, mime_type: mimeType, size },
})

type SentFile = string | { file_id: string }

/** The files of a request; a missing one is reported by its position. */
export async function runFiles(
  files: FileLookup,
  workspaceId: string,
  sent: readonly SentFile[] = [],
  pointer: string,
): Promise<RunFile[]> {
  if (sent.length === 0) return []
  const ids = sent.map(file => (typeof file === 'string' ? file : file.file_id))
  const { items } = await files.info(workspaceId, ids)
  const found = new Map(items.map(item => [item.id, item]))
  return ids.map((id, at) => {
    const file = found.get(id)
    if (!file)
      throw invalidField(`${pointer}/${at}`, `${id} does not exist in this workspace; upload the file first`)
    return runFileOf(file)
  })
}

/** Converts the inputs of a request. A value that is not text becomes text where the engine expects text. */
export async function runInputs(
  files: FileLookup,
  workspaceId: string,
  sent: Readonly<Record<string, unknown>> = {},
): Promise<RunInputs> {
  const { query, files: sentFiles, action, ...more } = sent
  return {
    query: textOfValue(query ?? undefined),
    files: await runFiles(files, workspaceId, checkedFiles(sentFiles ?? []), '/inputs/files'),
    action: textOfValue(action ?? undefined),
    more,
  }
}

const isSentFile = (value: unknown): value is SentFile =>
  typeof value === 'string' || (isRecord(value) && typeof value['file_id'] === 'string')

function checkedFiles(sent: unknown): readonly SentFile[] {
  if (Array.isArray(sent) && sent.length <= limits.messageFiles && sent.every(isSentFile)) return sent
  throw invalidField('/inputs/files', `must be a list of at most ${limits.messageFiles} file ids`)
}

const variableFileOf = (file: StoredFile): VariableFile => ({
  ...runFileOf(file),
  id: file.id,
  type: fileType(file.mimeType),
  extension: fileExtension(file.name),
  url: `${basePath}/files/${file.id}`,
})

/** The inputs of a graph with the values of its variables; fails with `invalid_request`. */
export const givenInputs = (
  { variables }: { readonly variables: readonly InputVariable[] },
  sent: Readonly<Record<string, unknown>>,
  files: FileLookup,
  workspaceId: string,
): Promise<Readonly<Record<string, unknown>>> =>
  resolveVariables(variables, sent, async ids =>
    (await files.info(workspaceId, ids)).items.map(variableFileOf),
  )

/** The values of `{{#sys.…#}}` in a run. */
export function systemValues(
  run: RunRecord,
  inputs: RunInputs,
  context: { history: readonly HistoryEntry[]; model: string },
): SystemValues {
  const { query, files, action, more } = inputs
  const history = withoutFiles(context.history, files)
  return {
    query,
    files: [...files, ...history.toReversed().flatMap(entry => entry.files ?? [])],
    action,
    conversation_id: run.conversationId,
    user_id: run.userId,
    agent_id: run.agentId,
    run_id: run.id,
    time: isoTime(run.createdAt),
    history,
    inputs: { ...more, query, files },
    model: context.model,
  }
}

/** The values after the answer to a question. A text keeps the action of the message before it. */
export function withReply(system: SystemValues, { files, action }: Reply): SystemValues {
  const ids = new Set(files.map(file => file.file_id))
  return {
    ...system,
    action: action || system.action,
    files: [...files, ...system.files.filter(file => !ids.has(file.file_id))],
    history: withoutFiles(system.history, files),
  }
}

/** A file that is sent again belongs to the new message. */
function withoutFiles(history: readonly HistoryEntry[], sent: readonly RunFile[]): readonly HistoryEntry[] {
  if (sent.length === 0) return history
  const ids = new Set(sent.map(file => file.file_id))
  return history.map(entry =>
    entry.files ? { ...entry, files: entry.files.filter(file => !ids.has(file.file_id)) } : entry,
  )
}
