import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import { Connection, openConnection } from './sqlite-connection.ts'
import type { ThreadData, ThreadResult, ThreadStatement } from './thread-statement.ts'

/** A thread of `SqliteReaders`, or the one of `SqliteWriterThread`: runs one statement after the other. */

if (!parentPort) throw new Error('This file runs in a worker thread only')
const port = parentPort
const { path, readOnly } = workerData as ThreadData
// The main thread serves all clients, a read only one. A writer keeps its priority, because all other writes wait for
// it.
if (readOnly) lowerThreadPriority(5)
const connection = new Connection(openConnection(path, { readOnly, timeout: readOnly ? 1000 : 0 }))

async function execute({ isRead, text, parameters }: ThreadStatement): Promise<ThreadResult> {
  try {
    if (isRead) return connection.read(text, parameters)
    return { changes: await connection.run(text, ...parameters) }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, errcode } }
  }
}

port.on('message', async (statement: ThreadStatement) => port.postMessage(await execute(statement)))
