export type CellFormat = 'plain' | 'percent' | 'date' | 'time' | 'date-time' | 'duration'

const dateIds = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58])
const timeIds = new Set([18, 19, 20, 21, 32, 33, 45, 47, 55, 56])

/** The built-in formats, which are identified by number. */
export const builtInFormat = (id: number): CellFormat => {
  if (dateIds.has(id)) return 'date'
  if (timeIds.has(id)) return 'time'
  if (id === 22) return 'date-time'
  if (id === 46) return 'duration'
  return id === 9 || id === 10 ? 'percent' : 'plain'
}

/** Derived from the letters of the code, such as `yyyy"年"m"月"`, ignoring quoted, escaped and bracketed parts. */
export const formatOf = (code: string): CellFormat => {
  if (/\[(h+|m+|s+)\]/i.test(code)) return 'duration'
  const bare = code
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replace(/am\/pm|a\/p|上午\/下午/gi, '')
    .replace(/;.*$/s, '')
  if (/general|standard/i.test(bare)) return 'plain'
  const hasTime = /[hs]/i.test(bare)
  const hasDate = /[yd]/i.test(bare) || (/m/i.test(bare) && !hasTime)
  if (hasDate) return hasTime ? 'date-time' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'plain'
}

const dayMilliseconds = 86_400_000
const lastDay = 2_958_465

/** Spreadsheets keep fifteen digits; the rest is binary noise. */
const plain = (value: number): string => String(Number(value.toPrecision(15)))

const pad = (value: number): string => String(value).padStart(2, '0')

const duration = (value: number): string => {
  const seconds = Math.round(value * 86_400)
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

/** Days since the end of 1899. Day 60 is the nonexistent 29 February 1900. */
const isoTime = (value: number, since1904: boolean): string => {
  const days = since1904 ? value + 1462 : value < 60 ? value + 1 : value
  const rounded = Math.round(days * 86_400) * 1000
  return new Date(Date.UTC(1899, 11, 30) + rounded).toISOString()
}

const formatDateTime = (value: number, format: CellFormat, since1904: boolean): string => {
  const iso = isoTime(value, since1904)
  const time = iso.slice(11, 19)
  if (format === 'time' && value < 1) return time
  const wholeDay = (value * dayMilliseconds) % dayMilliseconds === 0
  return format === 'date' || wholeDay ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`
}

/** A number as displayed, but not rounded: dates in ISO form, percentages with a percent sign. */
export const formatNumber = (text: string, format: CellFormat, since1904: boolean): string => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text.trim()
  if (format === 'percent') return `${plain(value * 100)}%`
  if (format === 'plain' || value < 0 || value > lastDay) return plain(value)
  return format === 'duration' ? duration(value) : formatDateTime(value, format, since1904)
}
