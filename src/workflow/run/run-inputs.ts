import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { RunFile } from '../step.ts'
import { type FileLookup, runFileOf } from './run-files.ts'
import type { RunInputs } from './runs.ts'
import { textOfValue } from './template.ts'

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

/** Inputs in the form of a request. What is not a text becomes one where a text is expected. */
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
