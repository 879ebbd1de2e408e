/** The beginning of a text. The server refuses half of a character, such as of an emoji, at the end. */
export const cutText = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
