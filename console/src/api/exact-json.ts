declare global {
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** Longer ones are never written back as they were by way of a number, or not worth a closer look. */
const longestCompared = 40

/**
 * JSON as values, but a number that would lose digits stays what was written: the server keeps graphs to the letter,
 * and what is read here is sent back. `JSON.stringify` writes such a number as it was. A browser that cannot tell how
 * a number was written rounds it, as `JSON.parse` does.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number') return value
    const source = context?.source
    return source === undefined || isSameNumber(source, value) ? value : (JSON.rawJSON?.(source) ?? value)
  })

function isSameNumber(source: string, value: number): boolean {
  const written = JSON.stringify(value)
  if (written === source) return true
  return Number.isFinite(value) && source.length <= longestCompared && plain(source) === plain(written)
}

/** The same text for every way to write a number: its digits without zeros around them, and a power of ten. */
function plain(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  const sign = text.startsWith('-') ? '-' : ''
  if (significant === '') return `${sign}0`
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign}${significant}e${power}`
}
