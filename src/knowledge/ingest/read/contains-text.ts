/** Whether any of the texts occurs, found without holding more than a piece. */
export const containsText = async (
  chunks: AsyncIterable<Uint8Array>,
  texts: readonly string[],
): Promise<boolean> => {
  const longest = Math.max(...texts.map(text => text.length))
  let tail = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const piece = Buffer.concat([tail, chunk])
    if (texts.some(text => piece.includes(text))) return true
    tail = piece.subarray(Math.max(0, piece.length - longest))
  }
  return false
}
