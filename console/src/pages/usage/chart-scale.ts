/** Round marks from 0 to at least the greatest value: 0, 5, 10, 15. */
export function marksUpTo(greatest: number, most = 4): number[] {
  const rough = Math.max(greatest, 1) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  // Counts have no halves.
  const step = Math.max(1, [1, 2, 5, 10].map(each => each * power).find(each => each >= rough - 1e-9)!)
  const count = Math.max(1, Math.ceil(Math.max(greatest, 1) / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Which of many days get a label, so that these do not touch: the last one always does. */
export const labelled = (count: number, width: number, labelWidth = 64): Set<number> => {
  const every = Math.max(1, Math.ceil((count * labelWidth) / Math.max(width, 1)))
  const found = new Set<number>()
  for (let index = count - 1; index >= 0; index -= every) found.add(index)
  return found
}
