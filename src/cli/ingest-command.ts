import { resolve } from 'node:path'
import { knowledgeOperations } from '../contract/knowledge-operations.ts'
import { awaitDocuments } from './await-documents.ts'
import { checkArguments } from './check-arguments.ts'
import type { Command, Outcome } from './command.ts'
import { ingestOutcome } from './ingest-outcome.ts'
import { ProgressLine } from './progress-line.ts'
import { RemoteKnowledge } from './remote-knowledge.ts'
import { sendFiles } from './send-files.ts'
import { serverAddress } from './server-address.ts'
import { ServerClient, ServerRefusal } from './server-client.ts'
import { serverToken } from './server-token.ts'
import { type FolderContent, walkFolder } from './walk-folder.ts'

/** A file is sent as a whole, and Node reads no larger one as a whole. */
const mostBytes = 2 ** 31 - 1

interface Task {
  folder: string
  name: string
  content: FolderContent
  client: ServerClient
  signal: AbortSignal
}

/** Says how to go on, where only waiting ends and not the work. */
const interruption = (before: string, base: RemoteKnowledge): Error =>
  new Error(
    `${before}\nRun the same command again to go on where it stopped, or look at the documents:\n  curl ${base.filesAddress} -H "Authorization: Bearer $TOKEN"`,
  )

async function ingest({ folder, name, content, client, signal }: Task): Promise<Outcome> {
  const progress = new ProgressLine(process.stderr)
  const base = await RemoteKnowledge.named(client, name, signal)
  const total = content.files.length
  let sentCount = 0
  let doneCount = 0
  try {
    progress.show({ doing: 'Uploading', done: 0, total })
    const sent = await sendFiles(
      base,
      content.files,
      count => {
        sentCount = count
        progress.show({ doing: 'Uploading', done: count, total })
      },
      signal,
    )
    const documents = await awaitDocuments(
      base,
      sent.documents,
      (done, stage) => {
        doneCount = done
        progress.show({ doing: 'Reading', done, total: sent.documents.size, stage })
      },
      signal,
    )
    progress.end()
    return ingestOutcome({
      knowledge: { id: base.id, name },
      documents,
      sent,
      refused: [...content.unreadable, ...sent.refused],
      skipped: content.skipped,
    })
  } catch (error) {
    progress.end()
    if (!signal.aborted) throw error
    throw interruption(
      sentCount < total
        ? `Interrupted: of the ${total} files in ${folder}, ${sentCount} are added, and the server goes on reading those.`
        : `Stopped waiting: ${doneCount} of ${total} documents are through, and the server goes on reading the others.`,
      base,
    )
  }
}

async function runIngest(task: Task): Promise<Outcome> {
  try {
    return await ingest(task)
  } catch (error) {
    if (
      error instanceof ServerRefusal &&
      ['token_missing', 'token_invalid', 'forbidden'].includes(error.reason)
    )
      throw new Error(`${error.message}. Name a file with another token with --token-file.`)
    // It was not yet known which base to look at.
    if (task.signal.aborted && error === task.signal.reason)
      throw new Error('Interrupted; nothing was added.')
    throw error
  } finally {
    task.client.close()
  }
}

const nothingToAdd = (folder: string, name: string, { skipped }: FolderContent): Outcome => ({
  text: `There is nothing to add in ${folder}${skipped.length > 0 ? `: ${skipped.length} skipped` : ''}.`,
  json: { knowledge_id: null, name, added: 0, already_there: 0, ready: 0, failed: [], skipped },
})

export const ingestCommand: Command = {
  name: 'ingest',
  summary: 'Add a folder of documents to a knowledge base of a running server, and wait for them.',
  details: `Works over HTTP, so the server may be elsewhere: --server names it, else HOST and PORT do. The token comes from
--token-file, from BOOTSTRAP_TOKEN or, for a server on this machine, from DATA_DIR/bootstrap-token.

Goes through the folder and all folders in it. A document is named by its path from there on. Hidden files, symbolic
links and files larger than MAX_FILE_BYTES are skipped. The knowledge base is made if there is none of that name.
What is in it already, by name and content, is not added again: run the command once more to go on after an interruption,
or to add what is new. Nothing is ever deleted, so a file that changed is added beside what it was before.

Ends with 0 when all documents are ready, with 1 when some failed. Ctrl-C stops the waiting, not the server's work.`,
  usage: 'FOLDER --knowledge NAME [--server URL] [--token-file FILE]',
  example: "ingest ./handbook --knowledge 'Handbook'",
  positionals: ['FOLDER'],
  options: {
    knowledge: { type: 'string' },
    server: { type: 'string' },
    'token-file': { type: 'string' },
  },
  run: async ({ positionals, options }, config, signal) => {
    const { name } = checkArguments(
      knowledgeOperations.create.body,
      { name: options['knowledge'] },
      { name: '--knowledge' },
    )
    const server = serverAddress(options['server'] as string | undefined, config)
    const folder = resolve(positionals['FOLDER']!)
    const content = await walkFolder(folder, Math.min(config.maxFileBytes, mostBytes))
    const token = await serverToken(options['token-file'] as string | undefined, server, config)
    if (content.files.length === 0 && content.unreadable.length === 0)
      return nothingToAdd(folder, name, content)
    return runIngest({ folder, name, content, client: new ServerClient(server, token), signal })
  },
}
