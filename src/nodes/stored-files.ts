import { limits } from '../contract/limits.ts'
import { decodePercent } from '../kernel/decode-percent.ts'
import { dispositionName } from '../kernel/disposition-name.ts'
import type { HttpAnswer } from '../tools/http-client.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type RunFile, type Step, stepFailed } from '../workflow/step.ts'
import type { NewFile, NodeServices } from './node-services.ts'
import { quote, readText, textOf } from './read-setting.ts'

/** Stores the body of an answer as a file if it is not text. */
export async function storeBody(
  step: Step,
  services: NodeServices,
  url: string,
  { status, headers, bytes }: HttpAnswer,
): Promise<RunFile[]> {
  if (!bytes || bytes.length === 0 || status >= 400) return []
  return [await services.storeFile(step.workspaceId, { name: nameOf(url, headers), bytes })]
}

/** The name that the server gives, otherwise the end of the path; with an extension for its type if it has none. */
function nameOf(url: string, headers: HttpAnswer['headers']): string {
  const name =
    dispositionName(headers['content-disposition']) ||
    decodePercent(URL.parse(url)?.pathname.split('/').at(-1) ?? '') ||
    'download'
  const [, subtype = ''] = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase().split('/')
  return name.includes('.') || !/^[a-z0-9]{2,5}$/.test(subtype) ? name : `${name}.${subtype}`
}

/** Stores what a program returns as `content` or `content_base64`. Files that are stored already stay as they are. */
export async function storeReturned(
  step: Step,
  services: NodeServices,
  returned: readonly unknown[],
): Promise<unknown[]> {
  if (returned.length > limits.messageFiles)
    throw stepFailed(`"files" has ${returned.length} files; return at most ${limits.messageFiles}.`)
  const files = returned.map(each => (isStored(each) ? each : contentOf(each)))
  const stored: unknown[] = []
  for (const file of files)
    stored.push('bytes' in file ? await services.storeFile(step.workspaceId, file as NewFile) : file)
  return stored
}

const isStored = (file: unknown): file is JsonRecord =>
  isJsonRecord(file) && typeof ownValue(file, 'file_id') === 'string'

function contentOf(file: unknown): NewFile {
  const record = isJsonRecord(file) ? file : {}
  const name = readText(record, 'name')
  const [text, base64] = [ownValue(record, 'content'), ownValue(record, 'content_base64')]
  if (name !== '' && typeof text === 'string') return { name, bytes: Buffer.from(text) }
  if (name !== '' && typeof base64 === 'string') return { name, bytes: Buffer.from(base64, 'base64') }
  throw stepFailed(
    `An element of "files" needs "name" and "content" or "content_base64", but is ${quote(textOf(file))}.`,
  )
}
