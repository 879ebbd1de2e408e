/** The beginning of a text. Half of a character at the cut would be no valid text. */
export const clipText = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
