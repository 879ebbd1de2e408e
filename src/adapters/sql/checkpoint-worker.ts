import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** Runs in a thread of its own: moves what is in the write-ahead log into the database file, whenever it is told to. */

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort
const connection = new DatabaseSync((workerData as { path: string }).path, { timeout: 1000 })
connection.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2048')

port.on('message', () => {
  try {
    // Passive: it waits for nobody and nobody waits for it. What readers still need stays for the next time.
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // The log keeps everything until it can be moved.
  }
  port.postMessage('done')
})
