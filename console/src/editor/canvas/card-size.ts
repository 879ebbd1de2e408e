/** Every card is as large as the others, so that a layout needs no screen to measure on. */
export const cardSize = { width: 208, height: 76 } as const

/** Places snap to this. */
export const gridStep = 8
