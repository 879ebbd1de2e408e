declare global {
  interface JSON {
    rawJSON?(text: string): object
    isRawJSON?(value: unknown): boolean
  }
}

/** Longer numbers cannot round-trip through a double, so comparing them is not worth it. */
const longestCompared = 40

/**
 * Parses JSON but keeps a number that would lose digits as raw JSON: the server stores graphs exactly, and
 * what is parsed here is sent back. `JSON.stringify` writes such a number unchanged. Browsers without source
 * access round it, as `JSON.parse` does.
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

/** A canonical form of a number: its significant digits and a power of ten. */
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
