import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointResult } from './checkpointer.ts'

/** The checkpoint thread: moves the write-ahead log into the database file on request. */

if (!parentPort) throw new Error('This file runs in a worker thread only')
const port = parentPort
const connection = new DatabaseSync((workerData as { path: string }).path, { timeout: 1000 })
connection.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2048')

/** Passive: it blocks no reader or writer. Pages that readers still need stay for the next time. */
const move = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')

port.on('message', () => {
  const result: CheckpointResult = { pages: 0, moved: 0 }
  try {
    const { log, checkpointed } = move.get() as { log: number; checkpointed: number }
    Object.assign(result, { pages: log, moved: checkpointed })
  } catch {
    // Nothing is lost: the log stays until it can be moved.
  }
  port.postMessage(result)
})
