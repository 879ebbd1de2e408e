/** The beginning of a text. Half of a surrogate pair is no text, and strict servers refuse it. */
export const cutText = (text: string, length: number): string => {
  const last = text.charCodeAt(length - 1)
  const splitsPair = length < text.length && last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? length - 1 : length).toWellFormed()
}
