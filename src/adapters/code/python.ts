import { missingModule } from '../../tools/python-support.ts'
import {
  CodeFailure,
  checkedJson,
  exceptionText,
  maxExceptionLength,
  outOfMemory,
  tooDeep,
  tooSlow,
} from './code-failure.ts'
import { type CodeReport, type CodeTask, userMemoryBytes } from './code-messages.ts'
import { ConsoleLines } from './console-lines.ts'
import { callMethod, methodNames, moduleObjects, pythonModules } from './python-modules.ts'
import { resultJson } from './python-result.ts'
import { functionNames, prepareSource, variableOf } from './python-source.ts'

type Monty = typeof import('@pydantic/monty')
type MontyError = InstanceType<Monty['MontyError']>
type MontySyntaxError = InstanceType<Monty['MontySyntaxError']>

let loading: Promise<Monty | undefined> | undefined

/** The interpreter is a native library; undefined where there is no build for the platform, or it is not installed. */
export function loadPython(): Promise<Monty | undefined> {
  loading ??= import('@pydantic/monty').catch(() => undefined)
  return loading
}

const unavailable =
  `Python cannot run on this server: its interpreter is not installed for ${process.platform} ${process.arch}. ` +
  'Use JavaScript, or run the server on Linux with glibc on x64'

const objects = Object.fromEntries(Array.from(moduleObjects, ([name, object]) => [variableOf(name), object]))
const inputNames = ['__inputs__', '__name__', ...Object.keys(objects)]

/**
 * After the code, so that its lines keep their numbers. Inputs are read inside, where they can be nothing but data. What
 * the interpreter cannot hand over, such as a range, would arrive as its text, so its type and place are returned, too.
 */
const callMain = `

import json as __json__
__result__ = main(**__json__.loads(__inputs__))
def __foreign__(value, place):
    if value is None or isinstance(value, (str, int, float, bytes)):
        return None
    if isinstance(value, dict):
        inner = [(value[key], str(key)) for key in value]
    elif isinstance(value, (list, tuple, set, frozenset)):
        inner = [(each, place) for each in value]
    else:
        return (type(value).__name__, place)
    for each in inner:
        found = __foreign__(*each)
        if found:
            return found
    return None
__found__ = None
try:
    __json__.dumps(__result__)
except TypeError:
    try:
        __found__ = __foreign__(__result__, '')
    except Exception:
        # The code has another isinstance, or nests too deeply.
        pass
except ValueError:
    # It contains itself, and is shortened.
    pass
(__result__, __found__)
`

const missingMain = 'The code has no function main: begin it with "def main(query):" and return the result'

const unsupported = /^The monty syntax parser does not yet support /

/** Runs a task in an interpreter of its own: each run of a program has its own heap. */
export async function runPython(task: CodeTask): Promise<CodeReport> {
  const monty = await loadPython()
  if (monty === undefined) return { kind: 'failed', message: unavailable }
  const written = new ConsoleLines()
  /** Ends the run, whatever the code does with the exception it gets. */
  let failure: CodeFailure | undefined
  const fail = (message: string): never => {
    failure ??= new CodeFailure(message)
    throw failure
  }
  try {
    const result = resultOf(monty, task, written, fail)
    if (failure) throw failure
    return { kind: 'returned', json: checkedJson(resultJson(...result)), lines: written.end() }
  } catch (error) {
    // Without the lines of the console: end users of an agent may see the message.
    return { kind: 'failed', message: messageOf(monty, task, failure ?? error) }
  }
}

/** What `main` returned, and the type and the place of a value in it that the interpreter cannot hand over. */
function resultOf(
  monty: Monty,
  { code, inputs, timeMilliseconds }: CodeTask,
  written: ConsoleLines,
  fail: (message: string) => never,
): Parameters<typeof resultJson> {
  const deadline = performance.now() + timeMilliseconds
  const context = {
    log: (line: string) => written.write(`${line}\n`),
    sleep: (seconds: number) => {
      const milliseconds = seconds * 1000
      if (!(milliseconds <= deadline - performance.now()))
        fail(`time.sleep(${seconds}) is longer than the code may take, which is ${timeMilliseconds / 1000} s`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, milliseconds))
    },
  }
  const methods = methodNames.map(name => [
    name,
    (...values: unknown[]) => {
      if (performance.now() > deadline) fail(tooSlow(timeMilliseconds))
      return callMethod(name, values, context) ?? null
    },
  ])
  const functions = functionNames(code)
  const program = new monty.Monty(prepareSource(code, pythonModules) + callMain, {
    inputs: [...inputNames, ...functions],
  })
  return program.run({
    // Not `__main__`: a main block at the end of the code is for trying it out.
    inputs: {
      ...{ __inputs__: inputs, __name__: 'code', ...objects },
      ...Object.fromEntries(functions.map(name => [name, null])),
    },
    limits: { maxDurationSecs: timeMilliseconds / 1000, maxMemory: userMemoryBytes },
    printCallback: (_stream: string, text: string) => written.write(text),
    // Without a prototype, whose functions the code could call.
    externalFunctions: Object.assign(Object.create(null), Object.fromEntries(methods)),
  })
}

function messageOf(monty: Monty, { code, timeMilliseconds }: CodeTask, error: unknown): string {
  if (error instanceof CodeFailure) return error.message
  if (!(error instanceof monty.MontyError)) throw error
  const { message } = error.exception
  // Without the module, as Python shows it.
  const typeName = error.exception.typeName.replace(/^.*\./, '')
  const line = lineOf(monty, error, code.split('\n').length)
  if (typeName === 'TimeoutError' && message.startsWith('time limit exceeded'))
    return tooSlow(timeMilliseconds)
  if (typeName === 'MemoryError') return outOfMemory
  if (typeName === 'RecursionError') return tooDeep(line)
  if (typeName === 'NameError' && line === undefined && message.includes("'main'")) return missingMain
  if (typeName === 'ModuleNotFoundError') return exceptionText(typeName, line, moduleAdvice(message))
  const shown = shortMessage(message.replace(unsupported, 'Python here does not support '))
  return exceptionText(typeName, line, shown)
}

/** The innermost line of the author's code; an unclosed bracket is reported for a line that we appended. */
function lineOf(
  { MontyRuntimeError, MontySyntaxError }: Monty,
  error: MontyError,
  lastLine: number,
): number | undefined {
  const lines = error instanceof MontyRuntimeError ? error.traceback().map(({ line }) => line) : []
  // Only the full text of a syntax error has the line.
  if (error instanceof MontySyntaxError) lines.push(Number(/ line (\d+)/.exec(textOf(error))?.[1] ?? 1))
  const last = lines.findLast(line => line <= lastLine)
  return last ?? (error instanceof MontySyntaxError ? lastLine : undefined)
}

const textOf = (error: MontySyntaxError): string => error.display('traceback' as 'msg')

const moduleAdvice = (message: string): string => missingModule(/'([\w.]+)'/.exec(message)?.[1] ?? '')

const shortMessage = (message: string): string =>
  message.length > maxExceptionLength ? `${message.slice(0, maxExceptionLength)}…` : message
