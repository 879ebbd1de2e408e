import { readFile } from 'node:fs/promises'
import { isRecord } from '../kernel/is-record.ts'
import { parsedJson } from '../kernel/parsed-json.ts'
import { UsageError } from './command.ts'

async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The file ${path} cannot be read (${error.code}).`)
  })
}

/** A JSON object in a file. */
export async function readObject(path: string): Promise<Record<string, unknown>> {
  const value = parsedJson(await readText(path))
  if (!isRecord(value)) throw new UsageError(`The file ${path} does not contain a JSON object.`)
  return value
}

/** An exported workflow, or a graph alone. */
export interface WorkflowDocument {
  name?: string
  workflow: unknown
}

/** The workflow in a file; a text in another format is left to the server. */
export async function readWorkflow(path: string): Promise<WorkflowDocument | { content: string }> {
  const content = await readText(path)
  const value = parsedJson(content)
  // An app of Dify has a member `workflow`, too.
  if (!isRecord(value) || isRecord(value['app'])) return { content }
  if (Array.isArray(value['nodes'])) return { workflow: value }
  const { name, workflow } = value
  return workflow === undefined ? { content } : { ...(typeof name === 'string' && { name }), workflow }
}
