/** Chinese and Japanese are written without spaces, so a line break between two such characters is dropped. */
const unspaced = /[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]/

export const isUnspaced = (character: string | undefined): boolean =>
  character !== undefined && unspaced.test(character)

/** The separator between two lines of a paragraph. A trailing hyphen stays, because it may be part of the word. */
export const separatorBetween = (left: string, right: string): string =>
  left === '' || right === '' || (isUnspaced(left.at(-1)) && isUnspaced(right[0])) ? '' : ' '

export const joinLines = (lines: string[]): string => {
  const pieces: string[] = []
  let last = ''
  for (const line of lines) {
    pieces.push(separatorBetween(last, line), line)
    if (line !== '') last = line
  }
  return pieces.join('')
}

/** Yields lines without their breaks, so that a long text is not copied as a whole. */
export function* linesOf(text: string): Generator<string> {
  let from = 0
  while (from <= text.length) {
    let end = text.indexOf('\n', from)
    if (end < 0) end = text.length
    yield text.slice(from, end > from && text[end - 1] === '\r' ? end - 1 : end)
    from = end + 1
  }
}

/** The display width of a line, counted up to a bound. */
export const widthOf = (line: string, bound = 400): number => {
  let width = 0
  for (let index = 0; index < line.length && width < bound; index++)
    width += line.charCodeAt(index) >= 0x1100 && isUnspaced(line[index]) ? 2 : 1
  return width
}
