/** The beginning of an answer for a line of a list, without the marks of Markdown. */
export const plainStart = (answer: string): string =>
  answer
    .slice(0, 300)
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d+\.)\s+/gmu, '')
    .replace(/\*\*|`+/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
