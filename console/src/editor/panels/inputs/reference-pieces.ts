/** A text cut at its references, for drawing them apart from plain words. */
export interface Piece {
  text: string
  /** What a reference names: `node.output`. */
  reference: string | undefined
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let position = 0
  // Of several openings before a closing the last one counts, as on the server.
  for (const found of text.matchAll(/\{\{#((?:(?!\{\{#)[\s\S])*?)#\}\}/g)) {
    if (found.index > position) pieces.push({ text: text.slice(position, found.index), reference: undefined })
    pieces.push({ text: found[0], reference: (found[1] ?? '').trim() })
    position = found.index + found[0].length
  }
  if (position < text.length) pieces.push({ text: text.slice(position), reference: undefined })
  return pieces
}
