/** All cards have the same size, so that a layout needs no measuring. */
export const cardSize = { width: 224, height: 76 } as const

/** The grid that positions snap to. */
export const gridStep = 8
