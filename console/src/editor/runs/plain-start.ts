/** The beginning of an answer for a list, without Markdown marks. */
export const plainStart = (answer: string): string =>
  answer
    .slice(0, 300)
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d+\.)\s+/gmu, '')
    .replace(/\*\*|`+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
