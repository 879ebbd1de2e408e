import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import release from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { type CodeReport, type CodeTask, userMemoryBytes } from './code-messages.ts'
import { CodeFailure, Evaluation, outOfMemory } from './evaluation.ts'

/** Runs in its own thread, because user code may block it for as long as its timeout allows. */

const pageBytes = 64 << 10
/** What the interpreter needs before the first line of the user's code. */
const ownMemoryBytes = 16 << 20
const stackBytes = 1 << 20

/** The part of WebAssembly that is used here: its types only come with those of a browser. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    compile(program: Uint8Array): Promise<object>
    Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
  }
}

/** Its types are those of a CommonJS module, which is not what Node loads here. */
const variant = release as unknown as QuickJSSyncVariant

/** A dying interpreter would write to the log of the server. */
const emscriptenModule: object = { print: () => {}, printErr: () => {} }

/** Every run gets an instance of its own: nothing of another run is in its memory. */
async function runTask(wasmModule: object, task: CodeTask): Promise<CodeReport> {
  // The interpreter does not count most of its memory in WebAssembly: this limit is the effective one.
  const wasmMemory = new WebAssembly.Memory({
    initial: ownMemoryBytes / pageBytes,
    maximum: (ownMemoryBytes + userMemoryBytes) / pageBytes,
  })
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule, wasmMemory, emscriptenModule }),
  )
  const runtime = quickjs.newRuntime({ memoryLimitBytes: userMemoryBytes, maxStackSizeBytes: stackBytes })
  const deadline = performance.now() + task.timeMilliseconds
  let isLate = false
  runtime.setInterruptHandler(() => {
    isLate ||= performance.now() > deadline
    return isLate
  })
  const lines: string[] = []
  try {
    const json = new Evaluation(runtime.newContext()).run(task, lines)
    return { kind: 'returned', json, lines }
  } catch (error) {
    const wasFull = wasmMemory.buffer.byteLength > userMemoryBytes / 2
    // Without the lines of the console: end users of an agent may see the message.
    return { kind: 'failed', message: isLate ? tooSlow(task) : messageOf(error, wasFull) }
  }
}

const tooSlow = ({ timeMilliseconds }: CodeTask): string =>
  `The code took longer than ${timeMilliseconds / 1000} s and was stopped`

function messageOf(error: unknown, wasFull: boolean): string {
  // Without memory for an error object the interpreter throws null.
  if (error instanceof CodeFailure) return error.isNull && wasFull ? outOfMemory : error.message
  // The thread's own stack can end a little before the one of the interpreter.
  if (error instanceof RangeError) return 'The code calls itself too deeply: use a loop'
  if (wasFull) return outOfMemory
  throw error
}

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

const report = (message: CodeReport): void => port.postMessage(message)

const program = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
const compiled = readFile(program).then(bytes => WebAssembly.compile(bytes))

port.on('message', async (task: CodeTask) => {
  try {
    const wasmModule = await compiled
    report({ kind: 'started' })
    report(await runTask(wasmModule, task))
  } catch (error) {
    report({
      kind: 'broken',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
})
