import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import type { CodeReport, CodeTask } from './code-messages.ts'
import { loadSandbox } from './quickjs-sandbox.ts'

/** Runs in a thread of its own, because what users wrote may hold it up for as long as it is allowed to. */

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

const report = (message: CodeReport): void => port.postMessage(message)

const program = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
const sandbox = readFile(program).then(loadSandbox)

port.on('message', async (task: CodeTask) => {
  try {
    const run = await sandbox
    report({ kind: 'started' })
    report(await run(task))
  } catch (error) {
    report({
      kind: 'broken',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
})
