const numeric = /^[-+]?[\d.,\s]*\d[\d.,\s]*%?$|^\d{4}-\d\d-\d\d/

const isNumeric = (cell: string): boolean => numeric.test(cell)

/**
 * Whether the first row names the columns: short words that all differ, one over nearly every column. Where the rows
 * below hold no numbers either there is nothing more to tell by, and then names on top are the rule.
 */
export const looksLikeHeader = (first: string[], rest: string[][]): boolean => {
  const filled = first.filter(cell => cell !== '')
  if (rest.length === 0 || filled.length === 0 || filled.length * 2 < first.length) return false
  if (new Set(filled).size < filled.length) return false
  if (filled.some(cell => cell.length > 100)) return false
  // Years make names of columns, but only beside a word: "item, 2024, 2025".
  return (
    filled.some(cell => !isNumeric(cell)) &&
    (!isNumeric(filled[0]!) || filled.every(cell => !isNumeric(cell)))
  )
}
