import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import { brokenReport, type CodeReport, type CodeTask } from './code-messages.ts'
import { compileInterpreter, JavascriptSandbox } from './javascript-sandbox.ts'

/** Runs in its own thread, because user code may block it for as long as its timeout allows. */

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

const report = (message: CodeReport): void => port.postMessage(message)

const program = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
const compiled = readFile(program).then(compileInterpreter)

// Requests go first: code may be an endless loop, which would take its share of every core until its timeout. This
// follows the first use of the file system, whose threads would otherwise inherit the priority.
lowerThreadPriority(5)

/** One sandbox for plain code and one per library. Created, or restored, while the thread waits for its next task. */
const prepared = new Map<string | undefined, Promise<JavascriptSandbox>>()

function prepare(library: string | undefined): Promise<JavascriptSandbox> {
  const creating = (async () =>
    JavascriptSandbox.create(await compiled, library && (await readFile(library, 'utf8'))))()
  // The next task gets the error.
  creating.catch(() => {})
  prepared.set(library, creating)
  return creating
}

port.on('message', async (task: CodeTask) => {
  try {
    const sandbox = await (prepared.get(task.library) ?? prepare(task.library))
    report(sandbox.run(task))
    if (!sandbox.restore()) prepare(task.library)
  } catch (error) {
    report(brokenReport(error))
  }
})
await prepare(undefined)
report({ kind: 'ready' })
