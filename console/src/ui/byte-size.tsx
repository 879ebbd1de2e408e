import { useLanguage } from './preferences.ts'

/** Sizes are aligned in tables. */
const tabular = { fontVariantNumeric: 'tabular-nums' } as const
const units = ['kilobyte', 'megabyte', 'gigabyte'] as const

/** A readable number of bytes. */
export function ByteSize({ bytes }: { bytes: number }) {
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  if (bytes < 1024) return <span style={tabular}>{bytes} B</span>
  const step = Math.min(3, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step - 1]!,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  })
  return <span style={tabular}>{format.format(value)}</span>
}
