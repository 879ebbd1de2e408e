import { Select } from 'antd'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  { off: 'Not refreshed', daily: 'Daily', weekly: 'Weekly', cron: 'Custom (cron)' },
  { off: '不刷新', daily: '每天', weekly: '每周', cron: '自定义（cron）' },
)

const names = ['off', 'daily', 'weekly'] as const
export const cronChoice = 'cron'
export const isNamedRefresh = (refresh: string): boolean => names.some(name => name === refresh)

/** Shows how often a page is fetched again, for users who cannot change it. */
export function RefreshName({ refresh }: { refresh: string }) {
  const words = useWords()
  return names.find(name => name === refresh) ? words[refresh as (typeof names)[number]] : refresh
}

interface RefreshSelectProps {
  value?: string
  onChange?: (refresh: string) => void
  label: string
  /** Whether to offer cron, whose expression is entered in another field. */
  hasCron?: boolean
  isLoading?: boolean
  isPlain?: boolean
}

/** How often a page is fetched again. A cron expression that is set stays an option. */
export function RefreshSelect({ value, onChange, label, hasCron, isLoading, isPlain }: RefreshSelectProps) {
  const words = useWords()
  const isOther = value !== undefined && value !== cronChoice && !isNamedRefresh(value)
  return (
    <Select
      {...(value !== undefined && { value })}
      {...(onChange && { onChange })}
      {...(isPlain && {
        variant: 'borderless' as const,
        size: 'small' as const,
        className: 'kb-refresh-select',
      })}
      loading={isLoading === true}
      aria-label={label}
      popupMatchSelectWidth={false}
      options={[
        ...names.map(name => ({ value: name as string, label: words[name] })),
        ...(hasCron ? [{ value: cronChoice, label: words.cron }] : []),
        ...(isOther ? [{ value, label: value }] : []),
      ]}
    />
  )
}
