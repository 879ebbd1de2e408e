import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import { Connection, openConnection } from './sqlite-connection.ts'
import type { ReadResult, ReadTask } from './sqlite-readers.ts'

/** A thread of `SqliteReaders`: answers one read after the other. */

if (!parentPort) throw new Error('This file runs in a worker thread only')
const port = parentPort
// The main thread answers everybody, these reads only those who asked for them.
lowerThreadPriority(5)
const { path } = workerData as { path: string }
const connection = new Connection(openConnection(path, { readOnly: true, timeout: 1000 }))

function read({ text, parameters }: ReadTask): ReadResult {
  try {
    return connection.read(text, parameters)
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { error: { message, errcode } }
  }
}

port.on('message', (task: ReadTask) => port.postMessage(read(task)))
