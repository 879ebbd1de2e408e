import release from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { type CodeReport, type CodeTask, userMemoryBytes } from './code-messages.ts'
import { ConsoleLines } from './console-lines.ts'
import { outOfMemory } from './describe-exception.ts'
import { CodeFailure, evaluateMain } from './evaluate-main.ts'
import { webAssembly } from './web-assembly.ts'

const pageBytes = 64 << 10
/** What the interpreter needs before the first line of the user's code. */
const ownMemoryBytes = 16 << 20
const stackBytes = 1 << 20

/** Its types are those of a CommonJS module, which is not what Node loads here. */
const variant = release as unknown as QuickJSSyncVariant

/** A dying interpreter would write to the log of the server. */
const emscriptenModule: object = { print: () => {}, printErr: () => {} }

type Run = (task: CodeTask) => Promise<CodeReport>

/** Compiles the interpreter once. Every run gets an instance of its own: nothing of another is in its memory. */
export async function loadSandbox(program: Uint8Array): Promise<Run> {
  const wasmModule = await webAssembly.compile(program)
  return async task => {
    // The interpreter leaves out most of its memory when it counts it in WebAssembly: this limit is the one that holds.
    const wasmMemory = new webAssembly.Memory({
      initial: ownMemoryBytes / pageBytes,
      maximum: (ownMemoryBytes + userMemoryBytes) / pageBytes,
    })
    const quickjs = await newQuickJSWASMModuleFromVariant(
      newVariant(variant, { wasmModule, wasmMemory, emscriptenModule }),
    )
    const runtime = quickjs.newRuntime({ memoryLimitBytes: userMemoryBytes, maxStackSizeBytes: stackBytes })
    const end = performance.now() + task.timeMilliseconds
    let isLate = false
    runtime.setInterruptHandler(() => {
      isLate ||= performance.now() > end
      return isLate
    })
    const lines = new ConsoleLines()
    try {
      const json = evaluateMain(runtime.newContext(), task, lines)
      return { kind: 'returned', json, lines: lines.all }
    } catch (error) {
      const wasFull = wasmMemory.buffer.byteLength > userMemoryBytes / 2
      // Without the lines of the console: people who talk to an agent may get to see it.
      return { kind: 'failed', message: isLate ? tooSlow(task) : messageOf(error, wasFull) }
    }
  }
}

const tooSlow = ({ timeMilliseconds }: CodeTask): string =>
  `The code took longer than ${timeMilliseconds / 1000} s and was stopped`

function messageOf(error: unknown, wasFull: boolean): string {
  // With no memory left there is none for an error object either, and the interpreter throws null.
  if (error instanceof CodeFailure) return error.isNull && wasFull ? outOfMemory : error.message
  // The thread's own stack can end a little before the one of the interpreter.
  if (error instanceof RangeError) return 'The code calls itself too deeply: use a loop'
  if (wasFull) return outOfMemory
  throw error
}
