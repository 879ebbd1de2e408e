import { useLanguage } from './preferences.ts'

/** Numbers, times and days in the user's locale. */
export function useFormats() {
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const day = (options: Intl.DateTimeFormatOptions) => (date: string) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(new Date(`${date}T00:00:00Z`))
  return {
    number: (value: number) => value.toLocaleString(locale),
    /** Small amounts keep two significant digits: 0.00042. */
    amount: (value: number) =>
      value.toLocaleString(locale, {
        minimumFractionDigits: 2,
        maximumFractionDigits: Math.max(2, 1 - Math.floor(Math.log10(value || 1))),
      }),
    compact: (value: number) =>
      value.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 }),
    share: (value: number) => value.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 }),
    time: (at: string) => new Date(at).toLocaleString(locale),
    shortDay: day({ month: 'short', day: 'numeric' }),
    longDay: day({ year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' }),
  }
}
