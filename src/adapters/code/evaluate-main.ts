import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { isTooDeep, maxJsonDepth } from '../../tools/json-depth.ts'
import { type CodeTask, maxJsonBytes } from './code-messages.ts'
import type { ConsoleLines } from './console-lines.ts'
import { describeException } from './describe-exception.ts'
import { sandboxPrelude } from './sandbox-prelude.ts'
import { SandboxTexts } from './sandbox-texts.ts'

/** Ends a run with a message for the person who wrote the code. */
export class CodeFailure extends Error {
  /** Whether what was thrown is null, which has no meaning of its own. */
  readonly isNull: boolean

  constructor(message: string, isNull = false) {
    super(message)
    this.isNull = isNull
  }
}

/** The value, or the exception thrown as a failure of ours. */
type Unwrap = (result: { error?: QuickJSHandle; value?: QuickJSHandle }) => QuickJSHandle

const maxLineLength = 500

const missingMain =
  'The code has no function main: begin it with "function main(inputs) {" and return the result'

/** The JSON of what `main` returned. Handles are never freed: the whole instance goes after the run. */
export function evaluateMain(
  context: QuickJSContext,
  { code, inputs }: CodeTask,
  lines: ConsoleLines,
): string {
  const texts = new SandboxTexts(context)
  const unwrap: Unwrap = ({ error, value }) => {
    if (!error) return value!
    throw new CodeFailure(describeException(context, texts, error), context.eq(error, context.null))
  }
  const emit = context.newFunction('emit', line => lines.add(texts.beginning(line, maxLineLength)))
  const prelude = unwrap(context.evalCode(sandboxPrelude, 'prelude', { strict: true }))
  const start = unwrap(
    context.callFunction(prelude, context.undefined, emit, context.newNumber(maxJsonBytes)),
  )
  const main = findMain(context, code, unwrap)
  const promise = unwrap(context.callFunction(start, context.undefined, main, context.newString(inputs)))
  finishJobs(context, unwrap)
  const state = context.getPromiseState(promise)
  if (state.type === 'pending')
    throw new CodeFailure('main never finished: it waits for a promise that nothing will ever resolve')
  return checkedJson(context.getString(state.type === 'fulfilled' ? state.value : unwrap(state)))
}

function finishJobs(context: QuickJSContext, unwrap: Unwrap): void {
  for (;;) {
    const done = context.runtime.executePendingJobs()
    if (done.error) unwrap(done)
    else if (done.value === 0) return
  }
}

/** The prelude answers with "=" and JSON, or with "!" and what is wrong with the value. */
function checkedJson(answer: string): string {
  const text = answer.slice(1)
  if (!answer.startsWith('=')) throw new CodeFailure(text)
  if (Buffer.byteLength(text) > maxJsonBytes)
    throw new CodeFailure(`main returned more than ${maxJsonBytes >> 20} MiB of JSON: return less`)
  if (isTooDeep(text))
    throw new CodeFailure(`main returned JSON that is nested deeper than ${maxJsonDepth} levels`)
  return text
}

/** `function main` and `const main = …` of a script, or what a module exports as `main` or by default. */
function findMain(context: QuickJSContext, code: string, unwrap: Unwrap): QuickJSHandle {
  const script = context.evalCode(code, 'main.js', { type: 'global' })
  // What could not even be parsed has done nothing yet, so it can be read in another way.
  if (script.error && /^[ \t]*export\b/m.test(code) && isSyntaxError(context, script.error))
    return exportedMain(context, code, unwrap)
  unwrap(script)
  const main = unwrap(context.evalCode("typeof main === 'function' ? main : undefined", 'prelude'))
  if (context.typeof(main) !== 'function') throw new CodeFailure(missingMain)
  return main
}

const isSyntaxError = (context: QuickJSContext, error: QuickJSHandle): boolean => {
  const name = context.getProp(error, 'name')
  return context.typeof(name) === 'string' && context.getString(name) === 'SyntaxError'
}

function exportedMain(context: QuickJSContext, code: string, unwrap: Unwrap): QuickJSHandle {
  let exports = unwrap(context.evalCode(code, 'main.js', { type: 'module' }))
  finishJobs(context, unwrap)
  const state = context.getPromiseState(exports)
  if (state.type === 'pending') throw new CodeFailure('The code never finished before main was called')
  exports = state.type === 'fulfilled' ? state.value : unwrap(state)
  for (const name of ['main', 'default']) {
    const found = context.getProp(exports, name)
    if (context.typeof(found) === 'function') return found
  }
  throw new CodeFailure(missingMain)
}
