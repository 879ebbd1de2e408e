import { endOfString, longRun, nextStructural } from '../kernel/json-strings.ts'
import { type ParseOptions, parseInPieces, parseKeepingDigits } from '../kernel/parse-in-pieces.ts'
import { inSlices, type Pausable, queued } from '../kernel/slices.ts'

/** Far above real data. JSON.parse accepts depths that JSON.stringify cannot write back. */
export const maxJsonDepth = 64
/** More than this takes too long to parse and to write without a pause. */
const maxJsonValues = 200_000
/** Receiving and decoding a longer text took milliseconds, so parsing it begins in a new turn of the event loop. */
const longText = 1 << 20

/**
 * The value of a JSON text; undefined if it is not JSON, or exceeds what a step may output. Integers keep their digits, as
 * in `parseKeepingDigits`.
 */
export function parseJson(text: string): unknown {
  if (jsonExcess(text) !== undefined) return undefined
  try {
    return parseKeepingDigits(text)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, for a text of several megabytes, without blocking the event loop. */
export async function parseLongJson(
  text: string,
  caller: { readonly signal: AbortSignal },
  options?: ParseOptions,
): Promise<unknown> {
  try {
    return await (text.length > longText ? queued : inSlices)(parseLimited(text, options), caller)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function* parseLimited(text: string, options?: ParseOptions): Pausable<unknown> {
  if (jsonExcess(text) !== undefined) return undefined
  yield
  return yield* parseInPieces(text, options)
}

/** Why a JSON text exceeds what a step may output, for a message; undefined if it does not. */
export function jsonExcess(json: string): string | undefined {
  let depth = 0
  let values = 1
  for (let at = 0, last = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === 0x22) at = endOfString(json, at)
    else if (character === 0x2c) values++
    // "[" and "{", and then "]" and "}", which differ from each other by this bit only.
    else if ((character | 0x20) === 0x7b) {
      values++
      if (++depth > maxJsonDepth) return 'nested too deeply'
    } else if ((character | 0x20) === 0x7d) depth--
    else if (at - last > longRun) at = nextStructural(json, at) - 1
    else continue
    last = at
    if (values > maxJsonValues) return `made of more than ${maxJsonValues} values`
  }
  return undefined
}
