import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import release from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
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

/** One instance of the interpreter, for one run: nothing of another run is in its memory. */
class Sandbox {
  readonly #memory: { readonly buffer: ArrayBuffer }
  readonly #evaluation: Evaluation
  #deadline = Number.POSITIVE_INFINITY
  #isLate = false

  private constructor(memory: { readonly buffer: ArrayBuffer }, quickjs: QuickJSWASMModule) {
    this.#memory = memory
    const runtime = quickjs.newRuntime({ memoryLimitBytes: userMemoryBytes, maxStackSizeBytes: stackBytes })
    runtime.setInterruptHandler(() => {
      this.#isLate ||= performance.now() > this.#deadline
      return this.#isLate
    })
    this.#evaluation = new Evaluation(runtime.newContext())
  }

  static async create(wasmModule: object): Promise<Sandbox> {
    // The interpreter does not count most of its memory in WebAssembly: this limit is the effective one.
    const wasmMemory = new WebAssembly.Memory({
      initial: ownMemoryBytes / pageBytes,
      maximum: (ownMemoryBytes + userMemoryBytes) / pageBytes,
    })
    const own = newVariant(variant, { wasmModule, wasmMemory, emscriptenModule })
    return new Sandbox(wasmMemory, await newQuickJSWASMModuleFromVariant(own))
  }

  run(task: CodeTask): CodeReport {
    this.#deadline = performance.now() + task.timeMilliseconds
    try {
      return { kind: 'returned', json: this.#evaluation.run(task), lines: this.#evaluation.lines }
    } catch (error) {
      const wasFull = this.#memory.buffer.byteLength > userMemoryBytes / 2
      // Without the lines of the console: end users of an agent may see the message.
      return { kind: 'failed', message: this.#isLate ? tooSlow(task) : messageOf(error, wasFull) }
    }
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

// Requests go first: code may be an endless loop, which would take its share of every core until its timeout. Not before
// the first use of the file system, whose threads would inherit the priority.
lowerThreadPriority(5)

const createSandbox = async (): Promise<Sandbox> => Sandbox.create(await compiled)

/** Created while the thread waits for its next task. */
let prepared: Promise<Sandbox> | undefined

/** Each sandbox is returned only once. */
function takeSandbox(): Promise<Sandbox> {
  const sandbox = prepared ?? createSandbox()
  prepared = undefined
  return sandbox
}

port.on('message', async (task: CodeTask) => {
  try {
    const sandbox = await takeSandbox()
    report({ kind: 'started' })
    report(sandbox.run(task))
  } catch (error) {
    report({
      kind: 'broken',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  prepared = createSandbox()
  // The next task gets the error.
  prepared.catch(() => {})
})
