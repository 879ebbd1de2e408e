/** Colours of notes and groups; a theme decides how they look. */
export const shapeColors = ['yellow', 'green', 'blue', 'purple', 'red', 'grey'] as const

export type ShapeColor = (typeof shapeColors)[number]

/** A sticky note in the drawing of a graph. */
export interface NoteShape {
  type: 'note'
  x: number
  y: number
  width: number
  height: number
  text: string
  color: ShapeColor
}

/** A named frame around nodes and notes. Its size follows from them. */
export interface GroupShape {
  type: 'group'
  title: string
  color: ShapeColor
  nodes: readonly string[]
  notes: readonly string[]
}

export type LayoutShape = NoteShape | GroupShape

/** Limits of notes and groups (`limits`), which the editor knows, too. */
export const shapeLimits = { count: 200, textLength: 4000, titleLength: 200, size: 4000 } as const

/** The smallest note in which its text can be read. */
export const minNoteSize = 40
