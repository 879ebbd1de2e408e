const quote = 0x22
const backslash = 0x5c

/** Far above real data. JSON.parse accepts depths that JSON.stringify cannot write back. */
export const maxJsonDepth = 64

/** The value of a JSON text; undefined if it is not JSON, or nested deeper than a step may output. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isTooDeep(text) ? undefined : value
  } catch {
    return undefined
  }
}

/** Whether JSON is nested deeper than a step may output. Expects valid JSON, which JSON.parse checks. */
export function isTooDeep(json: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (isText) {
      if (character === backslash) at++
      else if (character === quote) isText = false
    } else if (character === quote) isText = true
    // "[" and "{", and then "]" and "}", which differ from each other by this bit only.
    else if ((character | 0x20) === 0x7b) {
      if (++depth > maxJsonDepth) return true
    } else if ((character | 0x20) === 0x7d) depth--
  }
  return false
}
