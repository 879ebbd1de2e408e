import type { FileService } from '../../files/file-service.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { RunInputs } from '../../workflow/run/runs.ts'
import type { RunFile } from '../../workflow/step.ts'

type SentFiles = readonly (string | { file_id: string })[]

export interface SentInputs {
  query?: string
  files?: SentFiles
  action?: string
}

/** Looks the files up, each in the workspace; one that is not there is named by its place in the request. */
export async function runFiles(
  files: FileService,
  workspaceId: string,
  sent: SentFiles = [],
  pointer: string,
): Promise<RunFile[]> {
  if (sent.length === 0) return []
  const ids = sent.map(file => (typeof file === 'string' ? file : file.file_id))
  const { items } = await files.info(workspaceId, ids)
  const found = new Map(items.map(item => [item.id, item]))
  return ids.map((id, at) => {
    const file = found.get(id)
    if (!file) throw invalidField(`${pointer}/${at}`, 'names no file of this workspace; upload it first')
    return { file_id: file.id, name: file.name, mime_type: file.mimeType, size: file.size }
  })
}

export async function runInputs(
  files: FileService,
  workspaceId: string,
  sent: SentInputs = {},
): Promise<RunInputs> {
  const { query = '', files: sentFiles, action = '', ...more } = sent
  return { query, files: await runFiles(files, workspaceId, sentFiles, '/inputs/files'), action, more }
}
