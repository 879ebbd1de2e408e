import { jsonExcess } from '../../tools/json-limits.ts'
import { maxJsonBytes, userMemoryBytes } from './code-messages.ts'

/** Ends a run with a message for the author of the code. */
export class CodeFailure extends Error {}

export const outOfMemory = `The code needs more than ${userMemoryBytes >> 20} MiB of memory`

export const tooDeep = (line: number | string | undefined): string =>
  `The code calls itself too deeply${line ? ` in line ${line}` : ''}: use a loop`

export const tooSlow = (timeMilliseconds: number): string =>
  `The code took longer than ${timeMilliseconds / 1000} s and was stopped`

export const maxExceptionLength = 1000

/** `ValueError in line 3: no number` */
export const exceptionText = (name: string, line: number | string | undefined, message: string): string =>
  `${name}${line ? ` in line ${line}` : ' was thrown'}${message ? `: ${message}` : ''}`

/** The JSON that `main` returned, if it is within the limits. */
export function checkedJson(json: string): string {
  if (Buffer.byteLength(json) > maxJsonBytes)
    throw new CodeFailure(`main returned more than ${maxJsonBytes >> 20} MiB of JSON: return less`)
  const excess = jsonExcess(json)
  if (excess !== undefined) throw new CodeFailure(`main returned JSON that is ${excess}: return less`)
  return json
}
