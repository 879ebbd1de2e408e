import { invalidField } from './app-error.ts'

/** Refuses a name that is not an IANA time zone; `pointer` names the field. */
export function checkTimezone(timezone: string, pointer: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw invalidField(pointer, 'must be an IANA time zone, such as Europe/Berlin')
  }
}
