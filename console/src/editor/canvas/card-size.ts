/** The size of a card without branches. */
export const cardSize = { width: 224, height: 76 } as const

/** The grid that positions snap to. */
export const gridStep = 8

/** Each branch is a row of this height, below the head of the card. */
export const branchRow = { top: 48, height: 24, bottom: 6 } as const

/** The gap between a card and the card that is added after it. */
export const nodeGap = 72
