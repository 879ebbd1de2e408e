/** Chinese and Japanese are written without spaces, so a line break between two such characters means nothing. */
const unspaced = /[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/

export const isUnspaced = (character: string | undefined): boolean =>
  character !== undefined && unspaced.test(character)

/** Joins two lines of one paragraph. A word that was hyphenated at the break stays as it is: the hyphen may belong. */
export const glueBetween = (left: string, right: string): string =>
  left === '' || right === '' || (isUnspaced(left.at(-1)) && isUnspaced(right[0])) ? '' : ' '

export const joinLines = (lines: string[]): string => {
  const pieces: string[] = []
  let last = ''
  for (const line of lines) {
    pieces.push(glueBetween(last, line), line)
    if (line !== '') last = line
  }
  return pieces.join('')
}

/** Lines without their breaks, one at a time, so that a long text need not be doubled. */
export function* linesOf(text: string): Generator<string> {
  let from = 0
  while (from <= text.length) {
    let end = text.indexOf('\n', from)
    if (end < 0) end = text.length
    yield text.slice(from, end > from && text[end - 1] === '\r' ? end - 1 : end)
    from = end + 1
  }
}

/** Columns a line takes on a screen, up to a bound: nobody needs to know how much longer it is. */
export const widthOf = (line: string, bound = 400): number => {
  let width = 0
  for (let index = 0; index < line.length && width < bound; index++)
    width += line.charCodeAt(index) >= 0x1100 && isUnspaced(line[index]) ? 2 : 1
  return width
}
