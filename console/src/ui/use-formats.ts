import { useLanguage } from './preferences.ts'

const units: readonly ['millisecond' | 'second' | 'minute' | 'hour', number][] = [
  ['millisecond', 1000],
  ['second', 60],
  ['minute', 60],
  ['hour', Number.POSITIVE_INFINITY],
]

function durationIn(locale: string, milliseconds: number): string {
  let value = milliseconds
  for (const [unit, size] of units) {
    if (value < size) {
      const digits = unit !== 'millisecond' && value < 10 ? 1 : 0
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: 'short',
        maximumFractionDigits: digits,
      }).format(value)
    }
    value /= size
  }
  return ''
}

/** Numbers, durations and days in the user's locale. */
export function useFormats() {
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const day = (options: Intl.DateTimeFormatOptions) => (date: string) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(new Date(`${date}T00:00:00Z`))
  return {
    number: (value: number) => value.toLocaleString(locale),
    /** Small amounts keep two digits that say something: 0.00042. */
    amount: (value: number) =>
      value.toLocaleString(locale, {
        minimumFractionDigits: 2,
        maximumFractionDigits: Math.max(2, 1 - Math.floor(Math.log10(value || 1))),
      }),
    compact: (value: number) =>
      value.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 }),
    share: (value: number) => value.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 }),
    duration: (milliseconds: number) => durationIn(locale, milliseconds),
    shortDay: day({ month: 'short', day: 'numeric' }),
    longDay: day({ year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' }),
  }
}
