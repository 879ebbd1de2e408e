import release from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { CodeFailure, outOfMemory, tooDeep, tooSlow } from './code-failure.ts'
import { busyFactor, type CodeReport, type CodeTask, userMemoryBytes } from './code-messages.ts'
import { JavascriptEvaluation, ThrownNull } from './javascript-evaluation.ts'

const pageBytes = 64 << 10
/** The smallest memory that the interpreter accepts. */
const ownMemoryBytes = 16 << 20
/** The part of it that is enough for most code. Code that needs more makes the memory grow, and its sandbox is discarded. */
const spareBytes = 1 << 20
const stackBytes = 1 << 20
/** The part of the stack that is enough for most code. After deeper code the sandbox is discarded, too. */
const usualStackBytes = 256 << 10
const traceBytes = 64 << 10

interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** The types of the used part of WebAssembly, which exist only among the types of browsers. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    compile(program: Uint8Array): Promise<object>
    Memory: new (pages: { initial: number; maximum: number }) => WasmMemory
  }
}

export const compileInterpreter = (program: Uint8Array): Promise<object> => WebAssembly.compile(program)

/** Its types are those of a CommonJS module, which is not what Node loads here. */
const variant = release as unknown as QuickJSSyncVariant

interface EmscriptenModule {
  _malloc(bytes: number): number
}

/**
 * An instance of the interpreter with a context in which no user code has run yet. All of its state is in its memory,
 * which is restored after each run: nothing of a run is left for the next one, and it takes far less time than a new
 * instance.
 */
export class JavascriptSandbox {
  readonly #memory: WasmMemory
  readonly #evaluation: JavascriptEvaluation
  /** The memory before a run, without the parts that nothing uses. */
  readonly #pristine: readonly { at: number; bytes: Uint8Array }[]
  /** Zeros, unless a run needed more of the stack than is restored. */
  readonly #traces: Buffer
  /** False after an exception of the interpreter, whose stack pointer is not in the memory. */
  #isIntact = true
  #startedAt = 0
  #limit = 0
  #usedBefore = 0
  #isLate = false

  /** With a library, which is parsed once instead of in every run. */
  static async create(wasmModule: object, library?: string): Promise<JavascriptSandbox> {
    // The interpreter does not count most of its memory in WebAssembly: this limit is the effective one.
    const memory = new WebAssembly.Memory({
      initial: ownMemoryBytes / pageBytes,
      maximum: (ownMemoryBytes + userMemoryBytes) / pageBytes,
    })
    const loaded = Promise.withResolvers<EmscriptenModule>()
    // A dying interpreter would write to the log of the server.
    const emscriptenModule: object = { print: () => {}, printErr: () => {}, preRun: [loaded.resolve] }
    const own = newVariant(variant, { wasmModule, wasmMemory: memory, emscriptenModule })
    const quickjs = await newQuickJSWASMModuleFromVariant(own)
    const runtime = quickjs.newRuntime({ memoryLimitBytes: userMemoryBytes, maxStackSizeBytes: stackBytes })
    // Everything that changes the memory comes before it is copied.
    let sandbox: JavascriptSandbox | undefined
    runtime.setInterruptHandler(() => (sandbox ? sandbox.#mustStop() : false))
    const evaluation = new JavascriptEvaluation(runtime.newContext())
    if (library !== undefined) evaluation.load(library)
    sandbox = new JavascriptSandbox(memory, evaluation, await loaded.promise)
    return sandbox
  }

  private constructor(memory: WasmMemory, evaluation: JavascriptEvaluation, module: EmscriptenModule) {
    this.#memory = memory
    this.#evaluation = evaluation
    // Most of the memory goes to one block that nothing uses, so that a run writes only below and above it.
    const unused = ownMemoryBytes - spareBytes - module._malloc(pageBytes)
    const start = module._malloc(unused)
    if (start === 0 || memory.buffer.byteLength !== ownMemoryBytes || start + unused > ownMemoryBytes)
      throw new Error('The interpreter needs more memory than expected before any code runs')
    // The stack is large, too, grows downwards, and is hardly used so far.
    const [stack, top] = longestZeros(new BigUint64Array(memory.buffer, 0, start >> 3))
    const usual = top - usualStackBytes
    if (usual - traceBytes < stack) throw new Error('The interpreter has less stack than expected')
    this.#traces = Buffer.from(memory.buffer, usual - traceBytes, traceBytes)
    const copy = (from: number, to: number) => ({
      at: from,
      bytes: new Uint8Array(memory.buffer.slice(from, to)),
    })
    this.#pristine = [copy(0, stack), copy(usual, start), copy(start + unused, ownMemoryBytes)]
  }

  run(task: CodeTask): CodeReport {
    this.#isLate = false
    this.#startedAt = performance.now()
    this.#limit = task.timeMilliseconds
    this.#usedBefore = processorTime()
    try {
      return { kind: 'returned', ...this.#evaluation.run(task) }
    } catch (error) {
      this.#isIntact = error instanceof CodeFailure
      // Without the lines of the console: end users of an agent may see the message.
      return {
        kind: 'failed',
        message: this.#isLate ? tooSlow(task.timeMilliseconds) : this.#messageOf(error),
      }
    }
  }

  /** Restores the state before any code ran; false if that is not possible, and a new sandbox is needed. */
  restore(): boolean {
    const { buffer } = this.#memory
    if (!this.#isIntact || buffer.byteLength !== ownMemoryBytes || !this.#traces.equals(noTraces))
      return false
    const memory = new Uint8Array(buffer)
    for (const { at, bytes } of this.#pristine) memory.set(bytes, at)
    return true
  }

  /** Counts processor time, because on a busy machine this thread may have waited for most of the time. */
  #mustStop(): boolean {
    const taken = performance.now() - this.#startedAt
    this.#isLate ||=
      taken > this.#limit &&
      (taken > busyFactor * this.#limit || processorTime() - this.#usedBefore >= this.#limit)
    return this.#isLate
  }

  #messageOf(error: unknown): string {
    const wasFull = this.#memory.buffer.byteLength > userMemoryBytes / 2
    // Without memory for an error object the interpreter throws null.
    if (error instanceof ThrownNull && wasFull) return outOfMemory
    if (error instanceof CodeFailure) return error.message
    // The thread's own stack can end a little before the one of the interpreter.
    if (error instanceof RangeError) return tooDeep(undefined)
    if (wasFull) return outOfMemory
    throw error
  }
}

/** Processor time of this thread in milliseconds; clock time where Node does not report it. */
function processorTime(): number {
  const used = process.threadCpuUsage?.()
  return used ? (used.user + used.system) / 1000 : performance.now()
}

const noTraces = Buffer.alloc(traceBytes)

/** Where the longest run of zeros begins and ends, in bytes. */
function longestZeros(words: BigUint64Array): [from: number, to: number] {
  let longest: [number, number] = [0, 0]
  for (let from = 0; from < words.length; from++) {
    if (words[from] !== 0n) continue
    let to = from
    while (to < words.length && words[to] === 0n) to++
    if (to - from > longest[1] - longest[0]) longest = [from, to]
    from = to
  }
  return [longest[0] * 8, longest[1] * 8]
}
