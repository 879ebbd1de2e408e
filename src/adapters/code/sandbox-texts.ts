import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/** Reads texts out of a sandbox, and of long ones only the beginning. Must be made before the user's code runs. */
export class SandboxTexts {
  readonly #context: QuickJSContext
  readonly #slice: QuickJSHandle

  constructor(context: QuickJSContext) {
    this.#context = context
    this.#slice = context.getProp(context.newString(''), 'slice')
  }

  /** Empty for what is no text. */
  beginning(handle: QuickJSHandle, maxLength: number): string {
    const context = this.#context
    if (context.typeof(handle) !== 'string') return ''
    if (context.getNumber(context.getProp(handle, 'length')) <= maxLength) return context.getString(handle)
    const cut = context.callFunction(this.#slice, handle, context.newNumber(0), context.newNumber(maxLength))
    return cut.error ? '' : `${context.getString(cut.value)}…`
  }
}
