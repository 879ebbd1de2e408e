/** Text as the page draws it. Coordinates are in points, turned so that it runs from left to right. */
export interface Piece {
  text: string
  left: number
  right: number
  /** Position of the baseline. */
  y: number
  size: number
  font: string
  /** The next piece in the file follows after a space. */
  spaceAfter: boolean
  /** Position in the file. */
  order: number
  rightToLeft: boolean
}

/** The direction in which text runs; pieces of each direction are laid out separately. */
export type Direction = 'right' | 'down' | 'left' | 'up'

export type PiecesOfPage = Map<Direction, Piece[]>

export const addPiece = (pieces: PiecesOfPage, direction: Direction, piece: Piece): void => {
  const known = pieces.get(direction)
  if (known) known.push(piece)
  else pieces.set(direction, [piece])
}

/** A transformation of coordinates, as PDF writes it. */
export type Matrix = [number, number, number, number, number, number]

export const multiply = (one: number[], other: number[]): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = one
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = other
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}
