/** A run of emphasis marks that may yet prove to be plain characters. */
export interface EmphasisRun {
  mark: string
  /** Its place among the pieces of the text. */
  piece: number
  left: number
  opens: boolean
  closes: boolean
}

const space = /\s/
const wordCharacter = /[\p{L}\p{N}]/u

/** What a run can be by its neighbours. Laxer than CommonMark, whose rules fail beside Chinese punctuation. */
export const emphasisRun = (
  mark: string,
  length: number,
  before: string,
  after: string,
): Omit<EmphasisRun, 'piece'> | undefined => {
  const opens = !space.test(after)
  const closes = !space.test(before)
  if (!opens && !closes) return undefined
  // Underscores inside a word belong to it, as in snake_case.
  if (mark === '_' && wordCharacter.test(before) && wordCharacter.test(after)) return undefined
  if (mark === '~' && length !== 2) return undefined
  return { mark, left: length, opens, closes }
}

/** Marks go where an opening and a closing run meet; every step uses up one of them, so it is done in one pass. */
export const removeEmphasis = (runs: EmphasisRun[], pieces: string[]): void => {
  const open: Record<string, EmphasisRun[]> = { '*': [], _: [], '~': [] }
  for (const run of runs) {
    const openers = open[run.mark]!
    while (run.closes && run.left > 0 && openers.length > 0) {
      const opener = openers.at(-1)!
      const used = Math.min(run.left, opener.left)
      run.left -= used
      opener.left -= used
      pieces[opener.piece] = opener.mark.repeat(opener.left)
      if (opener.left === 0) openers.pop()
    }
    pieces[run.piece] = run.mark.repeat(run.left)
    if (run.opens && run.left > 0) openers.push(run)
  }
}
