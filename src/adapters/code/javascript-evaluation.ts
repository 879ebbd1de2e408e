import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import {
  CodeFailure,
  checkedJson,
  exceptionText,
  maxExceptionLength,
  outOfMemory,
  tooDeep,
} from './code-failure.ts'
import { type CodeTask, maxJsonBytes } from './code-messages.ts'
import { ConsoleLines, maxLineLength } from './console-lines.ts'

/**
 * Runs inside the sandbox before the user's code, and saves the built-ins it needs before that code can replace them.
 * `emit` takes a line of the console, and is the only host function in the sandbox. `begin` seeds the random numbers,
 * which would otherwise repeat, because every run begins with the same memory.
 */
const sandboxPrelude = `((emit, maxLength) => {
  'use strict'
  const { parse, stringify } = JSON
  const { Error, Map, Math, Set, String, TypeError } = globalThis
  const call = Function.prototype.call.bind(Function.prototype.call)
  const hasInstance = Function.prototype[Symbol.hasInstance]
  const isA = (type, value) => call(hasInstance, type, value)

  const show = value => {
    try {
      if (typeof value === 'string') return value
      if (isA(Error, value)) return String(value)
      return stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const write = (...values) => {
    let line = ''
    for (let index = 0; index < values.length; index++) line += (index > 0 ? ' ' : '') + show(values[index])
    emit(line)
  }
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write }

  class Refusal {
    constructor(what) {
      this.what = what
    }
  }
  const check = (key, value) => {
    const place = key === '' ? '' : ' in "' + key + '"'
    if (typeof value === 'function') throw new Refusal('a function' + place + ', which is not JSON: return what it gives')
    if (typeof value === 'bigint') throw new Refusal('a BigInt' + place + ', which is not JSON: use Number() or String()')
    if (isA(Map, value) || isA(Set, value))
      throw new Refusal('a Map or Set' + place + ', which is not JSON: use Object.fromEntries() or an array')
    return value
  }
  const toJson = value => {
    try {
      return stringify(value, check)
    } catch (error) {
      if (isA(TypeError, error) && error.message === 'circular reference')
        throw new Refusal('an object that contains itself, which is not JSON')
      throw error
    }
  }
  const answer = value => {
    try {
      const text = toJson(value)
      if (text === undefined) return '!main returned nothing: end it with "return" and a value, null at least'
      if (text.length > maxLength) return '!main returned more than ' + maxLength + ' bytes of JSON: return less'
      return '=' + text
    } catch (error) {
      if (isA(Refusal, error)) return '!main returned ' + error.what
      throw error
    }
  }
  const begin = (a, b, c) => {
    let counter = 1
    const next = () => {
      const sum = (a + b + counter++) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      return sum >>> 0
    }
    Math.random = () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53
  }
  return { begin, start: async (main, inputs) => answer(await main(parse(inputs))) }
})`

/** The code threw null, which has no meaning of its own. */
export class ThrownNull extends CodeFailure {}

const missingMain =
  'The code has no function main: begin it with "function main(inputs) {" and return the result'

/** Evaluates the user's code. Handles are never freed: the memory is restored or discarded after the run. */
export class JavascriptEvaluation {
  readonly #context: QuickJSContext
  /** Saved before the user's code can replace it. */
  readonly #slice: QuickJSHandle
  readonly #begin: QuickJSHandle
  /** Function of the prelude that calls `main` with the inputs. */
  readonly #start: QuickJSHandle
  #console = new ConsoleLines()

  constructor(context: QuickJSContext) {
    this.#context = context
    this.#slice = context.getProp(context.newString(''), 'slice')
    const emit = context.newFunction('emit', line => this.#console.add(this.#read(line, maxLineLength)))
    const prelude = this.#unwrap(context.evalCode(sandboxPrelude, 'prelude', { strict: true }))
    const functions = this.#unwrap(
      context.callFunction(prelude, context.undefined, emit, context.newNumber(maxJsonBytes)),
    )
    this.#begin = context.getProp(functions, 'begin')
    this.#start = context.getProp(functions, 'start')
  }

  /** Loads a CommonJS script for the code that follows. */
  load(library: string): void {
    const script = `globalThis.module = { exports: {} };\n((module, exports) => {${library}\n})(module, module.exports)`
    this.#unwrap(this.#context.evalCode(script, 'library', { type: 'global' }))
  }

  /** The JSON that `main` of the code returned, and the last lines of the console. */
  run({ code, inputs }: CodeTask): { json: string; lines: readonly string[] } {
    const context = this.#context
    this.#console = new ConsoleLines()
    const seed = [...crypto.getRandomValues(new Uint32Array(3))]
    this.#unwrap(
      context.callFunction(this.#begin, context.undefined, ...seed.map(each => context.newNumber(each))),
    )
    const main = this.#findMain(code)
    const promise = this.#unwrap(
      context.callFunction(this.#start, context.undefined, main, context.newString(inputs)),
    )
    const result = this.#settled(
      promise,
      'main never finished: it waits for a promise that nothing will ever resolve',
    )
    return { json: returnedJson(context.getString(result)), lines: this.#console.lines }
  }

  /** `function main` and `const main = …` of a script, or what a module exports as `main` or by default. */
  #findMain(code: string): QuickJSHandle {
    const context = this.#context
    const script = context.evalCode(code, 'main.js', { type: 'global' })
    // Code that could not be parsed has not run, so it can be evaluated as a module.
    if (script.error && /^[ \t]*export\b/m.test(code) && this.#isSyntaxError(script.error))
      return this.#exportedMain(code)
    this.#unwrap(script)
    const main = this.#unwrap(context.evalCode("typeof main === 'function' ? main : undefined", 'prelude'))
    if (context.typeof(main) !== 'function') throw new CodeFailure(missingMain)
    return main
  }

  #exportedMain(code: string): QuickJSHandle {
    const promise = this.#unwrap(this.#context.evalCode(code, 'main.js', { type: 'module' }))
    const exports = this.#settled(promise, 'The code never finished before main was called')
    for (const name of ['main', 'default']) {
      const found = this.#context.getProp(exports, name)
      if (this.#context.typeof(found) === 'function') return found
    }
    throw new CodeFailure(missingMain)
  }

  /** Runs all jobs and returns the value of a promise. */
  #settled(promise: QuickJSHandle, pendingMessage: string): QuickJSHandle {
    for (;;) {
      const done = this.#context.runtime.executePendingJobs()
      if (done.error) this.#unwrap(done)
      else if (done.value === 0) break
    }
    const state = this.#context.getPromiseState(promise)
    if (state.type === 'pending') throw new CodeFailure(pendingMessage)
    return state.type === 'fulfilled' ? state.value : this.#unwrap(state)
  }

  #isSyntaxError(error: QuickJSHandle): boolean {
    const name = this.#context.getProp(error, 'name')
    return this.#context.typeof(name) === 'string' && this.#context.getString(name) === 'SyntaxError'
  }

  /** The value, or the exception as a `CodeFailure`. */
  #unwrap({ error, value }: { error?: QuickJSHandle; value?: QuickJSHandle }): QuickJSHandle {
    if (!error) return value!
    const isNull = this.#context.eq(error, this.#context.null)
    throw new (isNull ? ThrownNull : CodeFailure)(this.#describe(error))
  }

  /** The exception in the terms of its author. Its getters run inside the sandbox, within its limits. */
  #describe(exception: QuickJSHandle): string {
    const context = this.#context
    if (context.typeof(exception) !== 'object' || context.eq(exception, context.null))
      return `The code threw ${this.#describePrimitive(exception)}`
    const text = (name: string): string => this.#read(context.getProp(exception, name), maxExceptionLength)
    const name = text('name') || 'An object'
    const message = text('message')
    // Frames of the prelude and of the language itself are not the user's.
    const line = /\bmain\.js:(\d+)/.exec(text('stack'))?.[1]
    if (name === 'InternalError' && message === 'out of memory') return outOfMemory
    if (name === 'InternalError' && message === 'stack overflow') return tooDeep(line)
    return exceptionText(name, line, message)
  }

  /** A string out of the sandbox, truncated; empty for a value that is not a string. */
  #read(handle: QuickJSHandle, maxLength: number): string {
    const context = this.#context
    if (context.typeof(handle) !== 'string') return ''
    if (context.getNumber(context.getProp(handle, 'length')) <= maxLength) return context.getString(handle)
    const cut = context.callFunction(this.#slice, handle, context.newNumber(0), context.newNumber(maxLength))
    return cut.error ? '' : `${context.getString(cut.value)}…`
  }

  #describePrimitive(value: QuickJSHandle): string {
    const type = this.#context.typeof(value)
    if (type === 'string') return this.#read(value, maxExceptionLength)
    return type === 'symbol' || type === 'function' ? `a ${type}` : String(this.#context.dump(value))
  }
}

/** The prelude returns "=" and JSON, or "!" and what is wrong with the value. */
function returnedJson(answer: string): string {
  if (!answer.startsWith('=')) throw new CodeFailure(answer.slice(1))
  return checkedJson(answer.slice(1))
}
