const quote = '"'
const backslash = 0x5c

/** Index of the closing quote of the JSON string that opens at `start`; the length of the text if it has none. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf(quote, start + 1)
  while (end !== -1) {
    let backslashes = 0
    for (let at = end - 1; at > start && text.charCodeAt(at) === backslash; at--) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf(quote, end + 1)
  }
  return text.length
}

/** From this length on `nextStructural` is faster than a loop. */
export const longRun = 32
const structural = /["[\]{},:]/g

/** The next character of JSON that is not part of a number, a word or white space. */
export function nextStructural(text: string, start: number): number {
  structural.lastIndex = start
  return structural.test(text) ? structural.lastIndex - 1 : text.length
}
