import type { InputVariable } from '../../contract/input-variable.ts'
import { basePath } from '../../contract/operation.ts'
import { fileExtension, fileType } from '../file-type.ts'
import { resolveVariables, type VariableFile } from '../input-variables.ts'
import type { RunFile } from '../step.ts'

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
