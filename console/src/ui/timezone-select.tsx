import { Select } from 'antd'

const timezones = (): string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC'),
]

/** The time zone of the browser, for new schedules. */
export const ownTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

interface TimezoneSelectProps {
  id?: string
  value?: string
  onChange?: (timezone: string) => void
}

/** A field of a form: an IANA time zone. */
export function TimezoneSelect(props: TimezoneSelectProps) {
  return <Select {...props} showSearch options={timezones().map(value => ({ value, label: value }))} />
}
