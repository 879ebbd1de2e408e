import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { userMemoryBytes } from './code-messages.ts'
import type { SandboxTexts } from './sandbox-texts.ts'

const maxLength = 1000

export const outOfMemory = `The code needs more than ${userMemoryBytes >> 20} MiB of memory`

/**
 * What was thrown, in the terms of whoever wrote the code: `TypeError in line 3: cannot read property 'a' of undefined`.
 * Its getters run inside the sandbox, within its limits.
 */
export function describeException(
  context: QuickJSContext,
  texts: SandboxTexts,
  exception: QuickJSHandle,
): string {
  if (context.typeof(exception) !== 'object' || context.eq(exception, context.null))
    return `The code threw ${showPrimitive(context, texts, exception)}`
  const text = (name: string): string => texts.beginning(context.getProp(exception, name), maxLength)
  const name = text('name') || 'An object'
  const message = text('message')
  // Frames of the prelude and of the language itself are not the user's.
  const line = /\bmain\.js:(\d+)/.exec(text('stack'))?.[1]
  if (name === 'InternalError' && message === 'out of memory') return outOfMemory
  if (name === 'InternalError' && message === 'stack overflow')
    return `The code calls itself too deeply${line ? ` in line ${line}` : ''}: use a loop`
  return `${name}${line ? ` in line ${line}` : ' was thrown'}${message ? `: ${message}` : ''}`
}

function showPrimitive(context: QuickJSContext, texts: SandboxTexts, value: QuickJSHandle): string {
  const type = context.typeof(value)
  if (type === 'string') return texts.beginning(value, maxLength)
  return type === 'symbol' || type === 'function' ? `a ${type}` : String(context.dump(value))
}
