import { useLanguage } from './preferences.ts'

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
]

function relative(milliseconds: number, locale: string): string | undefined {
  let value = milliseconds / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size)
      return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(value), unit)
    value /= size
  }
  return undefined
}

/** A relative time, with the exact one as a tooltip. */
export function When({ time }: { time: string | number }) {
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const date = new Date(time)
  const exact = date.toLocaleString(locale)
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {relative(date.getTime() - Date.now(), locale) ?? date.toLocaleDateString(locale)}
    </time>
  )
}
