/** Formats numbers as spreadsheets display them, from format codes such as `#,##0.00 "kg";[Red]-0.0%`. */

const lastDay = 2_958_465
const maxCodeLength = 400

/** The built-in formats, which are identified by number only. */
const builtIn: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;-$#,##0',
  6: '$#,##0;-$#,##0',
  7: '$#,##0.00;-$#,##0.00',
  8: '$#,##0.00;-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0;-#,##0',
  38: '#,##0;-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;-#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
  48: '0.0E+0',
}

/** Formats of East Asian versions; how they are displayed depends on the language, so dates are written as ISO 8601. */
const asianDates = new Set([27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58])
const asianTimes = new Set([32, 33, 55, 56])

export const builtInCode = (id: number): string =>
  builtIn[id] ?? (asianDates.has(id) ? 'yyyy-mm-dd' : asianTimes.has(id) ? 'h:mm:ss' : 'General')

type Token =
  | { kind: 'literal'; text: string }
  /** Digit placeholders with their separators, such as `#,##0.00` or `0.0E+00`. */
  | { kind: 'number'; text: string }
  | { kind: 'fraction'; text: string }
  | { kind: 'percent' }
  | { kind: 'date'; text: string }
  | { kind: 'general' }
  | { kind: 'text' }

interface Section {
  tokens: Token[]
  isDate: boolean
  /** The clock has twelve hours. */
  hasHalves: boolean
  percents: number
  /** How many groups of digit placeholders there are; `000-0000` has two. */
  numbers: number
  condition: ((value: number) => boolean) | undefined
}

const conditions: Record<string, (limit: number) => (value: number) => boolean> = {
  '<': limit => value => value < limit,
  '<=': limit => value => value <= limit,
  '>': limit => value => value > limit,
  '>=': limit => value => value >= limit,
  '=': limit => value => value === limit,
  '<>': limit => value => value !== limit,
}

const pattern =
  /"([^"]*)"?|\\(.)|_.|\*.|\[(<=|>=|<>|<|>|=)\s*(-?[\d.]+)\]|\[\$([^\]-]*)[^\]]*\]|(\[(?:h+|m+|s+)\])|\[[^\]]*\]|(general|g\/通用格式|standard)|(am\/pm|a\/p|上午\/下午)|([#0?]+(?: +[#0?]+)?\s*\/\s*(?:[#0?]+|\d+))|([#0?][#0?,]*(?:\.[#0?]*)?,*(?:e[+-][#0?]+)?|\.[#0?]+(?:e[+-][#0?]+)?)|(%)|(y+|m+|d+|h+|s+(?:\.0+)?|e+|a{3,4}|b{1,4})|(@)|(.)/gisu

const sectionOf = (code: string): Section => {
  const tokens: Token[] = []
  const section: Section = {
    tokens,
    isDate: false,
    hasHalves: false,
    percents: 0,
    numbers: 0,
    condition: undefined,
  }
  for (const match of code.matchAll(pattern)) {
    const [whole, quoted, escaped, comparison, limit, currency, elapsed] = match
    const [general, halves, fraction, number, percent, date, text, other] = match.slice(7)
    const literal = quoted ?? escaped ?? currency ?? other
    if (comparison !== undefined) section.condition = conditions[comparison]!(Number(limit))
    else if (literal !== undefined) tokens.push({ kind: 'literal', text: literal })
    else if (whole.startsWith('_')) tokens.push({ kind: 'literal', text: ' ' })
    else if (general) tokens.push({ kind: 'general' })
    else if (halves !== undefined || elapsed !== undefined || date !== undefined) {
      section.hasHalves ||= halves !== undefined
      tokens.push({ kind: 'date', text: (halves === undefined ? (elapsed ?? date!) : 'am/pm').toLowerCase() })
    } else if (fraction) tokens.push({ kind: 'fraction', text: fraction })
    else if (number) tokens.push({ kind: 'number', text: number })
    else if (percent) tokens.push({ kind: 'percent' })
    else if (text) tokens.push({ kind: 'text' })
  }
  section.isDate = tokens.some(token => token.kind === 'date' && token.text !== 'am/pm')
  section.percents = tokens.filter(({ kind }) => kind === 'percent').length
  section.numbers = tokens.filter(({ kind }) => kind === 'number').length
  return section
}

const splitSections = (code: string): string[] =>
  code.match(/(?:"[^"]*"?|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)/gs) ?? ['']

const pad = (value: number, length: number): string => String(value).padStart(length, '0')

const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',')

/** Spreadsheets keep fifteen digits; the rest is binary noise. */
const exact = (value: number): number => Number(value.toPrecision(15))

/** At most eleven characters of a fraction. Whole numbers stay whole, since they may be identifiers. */
export const general = (value: number): string => {
  if (Number.isInteger(exact(value))) return String(exact(value))
  const magnitude = Math.floor(Math.log10(Math.abs(value)))
  const digits = magnitude >= -4 && magnitude < 0 ? 10 + magnitude : 10
  return String(Number(value.toPrecision(Math.max(1, digits))))
}

/** A missing digit is shown as a zero (`0`), not at all (`#`) or as a space (`?`). */
const wholePart = (digits: string, places: string): string => {
  const bare = places.replace(/[^0#?]/g, '')
  const shown = digits === '0' ? '' : digits
  const missing = [...bare.slice(0, Math.max(0, bare.length - shown.length))]
  const firstZero = missing.indexOf('0')
  const padding = firstZero < 0 ? '' : '0'.repeat(missing.length - firstZero)
  const all = padding + shown
  return /[0#?],+[0#?]/.test(places) ? grouped(all) : all
}

const fixed = (value: number, decimals: number): string => {
  // Halves are rounded up in decimal: 1.005 is displayed as 1.01, though its binary value is lower.
  const shifted = Number(`${exact(value)}e${decimals}`)
  if (!Number.isSafeInteger(Math.round(shifted))) return value.toFixed(Math.min(decimals, 20))
  const digits = String(Math.round(shifted)).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const plainNumber = (value: number, text: string): string => {
  const scale = /,+(?=\.|$)/.exec(text)?.[0].length ?? 0
  const [places = '', decimals = ''] = text.split('.')
  const shown = decimals.replace(/[^0#?]/g, '').slice(0, 20)
  const [whole = '0', rest = ''] = fixed(value / 1000 ** scale, shown.length).split('.')
  const optional = /[#?]*$/.exec(shown)![0].length
  const keep = shown.length - optional
  const fractionDigits = rest.slice(0, keep) + rest.slice(keep).replace(/0+$/, '')
  return wholePart(whole, places) + (text.includes('.') ? `.${fractionDigits}` : '')
}

const exponential = (value: number, text: string): string => {
  const [mantissa = '', exponent = ''] = text.toLowerCase().split('e')
  const decimals = (mantissa.split('.')[1] ?? '').length
  const [number = '0', power = '0'] = value.toExponential(Math.min(decimals, 20)).split('e')
  const sign = power.startsWith('-') ? '-' : exponent.startsWith('+') ? '+' : ''
  return `${number}E${sign}${power.replace(/^[+-]/, '').padStart(exponent.length - 1, '0')}`
}

/** The nearest fraction whose denominator has the given number of digits, or is given itself. */
const fractionOf = (value: number, text: string): string => {
  const hasWhole = /^[#0?]+ +[#0?]/.test(text)
  const below = /(\S+)$/.exec(text.split('/')[1] ?? '?')![1]!
  const given = /^[1-9]\d*$/.test(below) ? Number(below) : undefined
  const limit = 10 ** Math.min(below.length, 3) - 1
  const whole = hasWhole ? Math.floor(value) : 0
  let best = { over: Math.round((value - whole) * (given ?? 1)), under: given ?? 1 }
  for (let under = 2; given === undefined && under <= limit; under++) {
    const over = Math.round((value - whole) * under)
    if (Math.abs(over / under - (value - whole)) < Math.abs(best.over / best.under - (value - whole)) - 1e-12)
      best = { over, under }
  }
  if (best.over === 0) return String(whole)
  if (hasWhole && best.over === best.under) return String(whole + 1)
  return `${hasWhole && whole > 0 ? `${whole} ` : ''}${best.over}/${best.under}`
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const chineseDays = [...'日一二三四五六']

/** Days since the end of 1899. Day 60 is the nonexistent 29 February 1900. */
const momentOf = (value: number, since1904: boolean, milliseconds: boolean): Date => {
  const number = since1904 ? value + 1462 : value < 60 ? value + 1 : value
  const rounded = milliseconds ? Math.round(number * 86_400_000) : Math.round(number * 86_400) * 1000
  return new Date(Date.UTC(1899, 11, 30) + rounded)
}

const dateFields: Record<string, (moment: Date, length: number) => string> = {
  y: (moment, length) =>
    length <= 2 ? pad(moment.getUTCFullYear() % 100, 2) : pad(moment.getUTCFullYear(), 4),
  e: moment => pad(moment.getUTCFullYear(), 4),
  b: moment => String(moment.getUTCFullYear() + 543),
  m: (moment, length) => {
    const name = months[moment.getUTCMonth()]!
    if (length === 5) return name[0]!
    return length > 2 ? (length === 3 ? name.slice(0, 3) : name) : pad(moment.getUTCMonth() + 1, length)
  },
  d: (moment, length) => {
    const name = days[moment.getUTCDay()]!
    return length > 2 ? (length === 3 ? name.slice(0, 3) : name) : pad(moment.getUTCDate(), length)
  },
  a: (moment, length) => `${length > 3 ? '星期' : ''}${chineseDays[moment.getUTCDay()]}`,
  s: (moment, length) => pad(moment.getUTCSeconds(), length),
}

/** Hours, minutes or seconds in all, such as `[h]`. */
const elapsedField = (value: number, text: string): string => {
  const unit = text[1] === 'h' ? 24 : text[1] === 'm' ? 1440 : 86_400
  return pad(Math.floor(exact(value * unit) + 1e-9), text.length - 2)
}

/** `m` is minutes after hours or before seconds, and months elsewhere. */
const isMinute = (tokens: Token[], at: number): boolean => {
  const fields = tokens.flatMap((token, index) =>
    token.kind === 'date' ? [{ text: token.text, index }] : [],
  )
  const position = fields.findIndex(({ index }) => index === at)
  const before = fields[position - 1]?.text.replace('[', '') ?? ''
  const after = fields[position + 1]?.text.replace('[', '') ?? ''
  return before.startsWith('h') || after.startsWith('s')
}

const dateText = (section: Section, value: number, since1904: boolean): string => {
  const { tokens } = section
  const fractions = tokens.some(token => token.kind === 'date' && token.text.includes('.'))
  const moment = momentOf(value, since1904, fractions)
  const hour = moment.getUTCHours()
  const field = (text: string, at: number): string => {
    if (text.startsWith('[')) return elapsedField(value, text)
    if (text === 'am/pm') return hour < 12 ? 'AM' : 'PM'
    if (text.startsWith('h')) return pad(section.hasHalves ? hour % 12 || 12 : hour, text.length)
    if (/^m{1,2}$/.test(text) && isMinute(tokens, at)) return pad(moment.getUTCMinutes(), text.length)
    const [whole = text, decimals] = text.split('.')
    const shown = dateFields[whole[0]!]!(moment, whole.length)
    if (decimals === undefined) return shown
    return `${shown}.${pad(moment.getUTCMilliseconds(), 3).padEnd(decimals.length, '0').slice(0, decimals.length)}`
  }
  return tokens
    .map((token, at) => {
      if (token.kind === 'date') return field(token.text, at)
      // In `ss.00` and `yyyy.0` the zeros were taken for digits.
      return token.kind === 'literal' || token.kind === 'number' ? token.text : ''
    })
    .join('')
}

const numberText = ({ tokens, percents, numbers }: Section, value: number): string => {
  const scaled = value * 100 ** percents
  // Several groups of placeholders, such as `000-0000`, share the digits.
  let digits = numbers > 1 ? fixed(scaled, 0) : ''
  const shares = new Map<Token, string>()
  if (numbers > 1)
    for (const token of tokens.toReversed()) {
      if (token.kind !== 'number') continue
      const length = token.text.replace(/[^0#?]/g, '').length
      const isFirst = shares.size === numbers - 1
      shares.set(
        token,
        isFirst ? wholePart(digits || '0', token.text) : digits.slice(-length).padStart(length, '0'),
      )
      digits = digits.slice(0, -length)
    }
  const shown = (token: Token): string => {
    if (token.kind === 'percent') return '%'
    if (token.kind === 'literal') return token.text
    if (token.kind === 'general' || token.kind === 'text') return general(scaled)
    if (token.kind === 'fraction') return fractionOf(scaled, token.text)
    if (token.kind === 'date') return ''
    return (
      shares.get(token) ??
      (/e/i.test(token.text) ? exponential(scaled, token.text) : plainNumber(scaled, token.text))
    )
  }
  return tokens.map(shown).join('')
}

/** A format code, parsed once for all cells that use it. */
export class NumberFormat {
  readonly #sections: Section[]
  readonly #isGeneral: boolean

  constructor(code: string) {
    const short = code.slice(0, maxCodeLength)
    this.#isGeneral = short === '' || /^(?:general|standard|@)$/i.test(short)
    this.#sections = this.#isGeneral ? [] : splitSections(short).map(sectionOf)
  }

  /** Text that is not a number is returned as it is. */
  show(text: string, since1904 = false): string {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) return text.trim()
    if (this.#isGeneral) return general(value)
    const { section, shown, isNegative } = this.#sectionFor(value)
    // A format may hide numbers, but people search for what they know is there.
    if (!section || section.tokens.every(({ kind }) => kind === 'literal' || kind === 'text'))
      return general(value)
    if (section.isDate)
      return shown < 0 || shown > lastDay ? general(value) : dateText(section, shown, since1904).trim()
    const written = numberText(section, shown).replace(/\s+/g, ' ').trim()
    return isNegative && /[1-9]/.test(written) ? `-${written}` : written
  }

  /** The second section is for negative numbers, which it writes without a sign; the third is for zero. */
  #sectionFor(value: number): { section: Section | undefined; shown: number; isNegative: boolean } {
    const [first, second, third] = this.#sections
    const size = Math.abs(value)
    if (this.#sections.some(({ condition }) => condition)) {
      const met = this.#sections.find(({ condition }) => condition?.(value))
      const section = met ?? this.#sections.find(({ condition }) => !condition) ?? first
      return { section, shown: section?.isDate ? value : size, isNegative: value < 0 && section !== second }
    }
    if (value < 0 && second && second.tokens.length > 0 && !second.isDate)
      return { section: second, shown: size, isNegative: false }
    if (value === 0 && third && third.tokens.length > 0)
      return { section: third, shown: 0, isNegative: false }
    return { section: first, shown: first?.isDate ? value : size, isNegative: value < 0 }
  }
}
