import { resolve } from 'node:path'
import { knowledgeOperations } from '../contract/knowledge-operations.ts'
import { type Command, checkArguments, type Outcome } from './command.ts'
import { type RemoteDocument, RemoteKnowledge } from './remote-knowledge.ts'
import { explained, ServerClient, serverAddress, serverToken } from './server-client.ts'
import {
  byName,
  type FolderContent,
  type NamedReason,
  type UploadedFiles,
  uploadFiles,
  walkFolder,
} from './upload-files.ts'

interface Step {
  /** The activity, in one word. */
  doing: string
  done: number
  total: number
  /** Shown after the numbers. */
  stage?: string
}

interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const barWidth = 24
const redrawMilliseconds = 100
const plainMilliseconds = 5000

function bar({ done, total }: Step): string {
  const filled = total === 0 ? barWidth : Math.floor((barWidth * done) / total)
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`
}

/** Progress of a long task: on a terminal one line that is redrawn, elsewhere a line every few seconds. */
export function progressLine(output: Output, now: () => number = () => performance.now()) {
  const pause = output.isTTY ? redrawMilliseconds : plainMilliseconds
  let first: { step: Step; at: number } | undefined
  let last: { done: number; at: number } | undefined

  const show = (step: Step): void => {
    const at = now()
    const isNew = step.doing !== first?.step.doing
    if (!first || isNew) first = { step, at }
    const isLast = step.done === step.total && step.done !== last?.done
    if (!isNew && !isLast && last && at - last.at < pause) return
    last = { done: step.done, at }
    const seconds = (at - first.at) / 1000
    const perSecond = seconds > 0 ? (step.done - first.step.done) / seconds : 0
    const rate = perSecond > 0 ? `, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} documents/s` : ''
    const text = `${step.doing} ${step.done} of ${step.total}${rate}${step.stage ? `, ${step.stage}` : ''}`
    // Truncated, because a line that wraps cannot be redrawn.
    const line = `${bar(step)} ${text}`.slice(0, (output.columns ?? 80) - 1)
    output.write(output.isTTY ? `\r${line}\x1b[K` : `${text}\n`)
  }
  /** Clears the line. */
  const end = (): void => {
    if (output.isTTY && last) output.write('\r\x1b[K')
  }
  return { show, end }
}

/** A file is sent as a whole, and Node cannot read a larger one as a whole. */
const maxBytes = 2 ** 31 - 1

interface Task {
  folder: string
  name: string
  content: FolderContent
  client: ServerClient
  signal: AbortSignal
}

async function ingest({ folder, name, content, client, signal }: Task): Promise<Outcome> {
  const progress = progressLine(process.stderr)
  const total = content.files.length
  let base: RemoteKnowledge | undefined
  let uploadedCount = 0
  let doneCount = 0
  try {
    base = await RemoteKnowledge.named(client, name)
    const onUploaded = (count: number): void => {
      uploadedCount = count
      progress.show({ doing: 'Uploading', done: count, total })
    }
    onUploaded(0)
    const uploaded = await uploadFiles(base, content.files, onUploaded, signal)
    const onDone = (done: number, stage: string): void => {
      doneCount = done
      progress.show({ doing: 'Processing', done, total: uploaded.documents.size, stage })
    }
    const documents = await base.waitFor(uploaded.documents, onDone)
    progress.end()
    return ingestOutcome({ knowledge: { id: base.id, name }, documents, uploaded, content })
  } catch (error) {
    progress.end()
    if (!signal.aborted) throw explained(error)
    if (!base) throw new Error('Interrupted; nothing was added.')
    const state =
      uploadedCount < total
        ? `Interrupted: ${uploadedCount} of the ${total} files in ${folder} were added, and the server continues to process them.`
        : `Stopped waiting: ${doneCount} of ${total} documents are done, and the server continues with the others.`
    throw new Error(
      `${state}\nRun the same command again to continue, or list the documents:\n  curl ${base.filesAddress} -H "Authorization: Bearer $TOKEN"`,
    )
  } finally {
    client.close()
  }
}

interface Failure {
  name: string
  file_id: string | null
  code: string
  message: string
  retryable: boolean
}

interface Ingested {
  knowledge: { id: string; name: string }
  documents: RemoteDocument[]
  uploaded: UploadedFiles
  content: FolderContent
}

const notAdded = (name: string, file_id: string | null, message: string): Failure => ({
  name,
  file_id,
  code: 'not_added',
  message,
  retryable: true,
})

function failuresOf({ documents, uploaded, content }: Ingested): Failure[] {
  const existing = new Set(documents.map(({ file_id }) => file_id))
  const failed = documents
    .filter(({ status }) => status === 'failed')
    .map(({ file_id, name, error }) => ({
      name,
      file_id,
      code: error?.code ?? 'internal',
      message: error?.message ?? 'The server gives no reason.',
      retryable: error?.retryable ?? false,
    }))
  const deleted = [...uploaded.documents]
    .filter(([id]) => !existing.has(id))
    .map(([id, name]) => notAdded(name, id, 'was deleted while it was processed'))
  const refused = [...content.unreadable, ...uploaded.refused].map(({ name, reason }) =>
    notAdded(name, null, reason),
  )
  return [...failed, ...deleted, ...refused].sort(byName)
}

/** Warnings about parts that are missing in ready documents; servers of earlier versions report none. */
const warningsOf = (documents: RemoteDocument[]) =>
  documents
    .flatMap(({ name, file_id, warnings = [] }) => warnings.map(warning => ({ name, file_id, ...warning })))
    .sort(byName)

/** A file name may contain control characters, which a terminal would interpret. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')

const section = (title: string, items: NamedReason[], count = items.length): string[] => [
  `${title.padEnd(8)}${count}`,
  ...items.map(({ name, reason }) => `  ${printable(`${name}: ${reason}`)}`),
]

function ingestOutcome(ingested: Ingested): Outcome {
  const { knowledge, documents, uploaded, content } = ingested
  const failed = failuresOf(ingested)
  const failures = failed.map(({ name, code, message }) => ({ name, reason: `${code}: ${message}` }))
  const ready = documents.filter(({ status }) => status === 'ready').length
  const warnings = warningsOf(documents)
  const incomplete = warnings.map(({ name, message }) => ({ name, reason: message }))
  const alreadyThere = uploaded.documents.size - uploaded.addedCount
  const canRetry = failed.some(({ file_id, retryable }) => retryable && file_id !== null)
  return {
    text: [
      `Knowledge base ${printable(knowledge.name)} (${knowledge.id}): ${uploaded.addedCount} added, ${alreadyThere} already there.`,
      '',
      ...section('Ready', incomplete, ready),
      ...section('Failed', failures),
      ...section('Skipped', content.skipped),
    ].join('\n'),
    json: {
      knowledge_id: knowledge.id,
      name: knowledge.name,
      added: uploaded.addedCount,
      already_there: alreadyThere,
      ready,
      warnings,
      failed,
      skipped: content.skipped,
    },
    problem:
      failed.length === 0
        ? undefined
        : `${failed.length} of ${ready + failed.length} files failed.${canRetry ? ' Some may succeed when they are processed again: POST /api/v1/knowledge/{knowledge_id}/rebind does that.' : ''}`,
  }
}

const nothingToAdd = (folder: string, name: string, { skipped }: FolderContent): Outcome => ({
  text: `There is nothing to add in ${folder}${skipped.length > 0 ? `: ${skipped.length} skipped` : ''}.`,
  json: { knowledge_id: null, name, added: 0, already_there: 0, ready: 0, warnings: [], failed: [], skipped },
})

export const ingestCommand: Command = {
  name: 'ingest',
  summary: 'Add a folder of documents to a knowledge base of a running server, and wait for them.',
  details: `Calls a running server over HTTP, on this machine or elsewhere. --server is its address, by default the one of HOST
and PORT. The token comes from --token-file, from BOOTSTRAP_TOKEN or, for a server on this machine, from
DATA_DIR/bootstrap-token.

Includes all subfolders. A document is named by its path below the folder. Hidden files, symbolic links and files larger
than MAX_FILE_BYTES are skipped. The knowledge base is created if it does not exist. Documents with the same name and
content are not added again, so the command can be repeated to continue after an interruption or to add new files.
Nothing is ever deleted: a changed file is added beside its previous version.

The exit code is 0 if all documents are ready, and 1 if some failed. Ctrl-C stops waiting, not the server.`,
  usage: 'FOLDER --knowledge NAME [--server URL] [--token-file FILE]',
  example: "ingest ./handbook --knowledge 'Handbook'",
  run: async ({ argument, options }, config, signal) => {
    const { name } = checkArguments(
      knowledgeOperations.create.body,
      { name: options['knowledge'] },
      { name: '--knowledge' },
    )
    const server = serverAddress(options['server'], config)
    const folder = resolve(argument)
    const content = await walkFolder(folder, Math.min(config.maxFileBytes, maxBytes))
    const token = await serverToken(options['token-file'], server, config)
    if (content.files.length === 0 && content.unreadable.length === 0)
      return nothingToAdd(folder, name, content)
    return ingest({ folder, name, content, client: new ServerClient(server, token, signal), signal })
  },
}
