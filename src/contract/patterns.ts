import { limits } from './limits.ts'

export const idPattern = '^[A-Za-z0-9_-]{1,64}$'
export const idOrEmptyPattern = '^[A-Za-z0-9_-]{0,64}$'
/** An origin as browsers send it: a scheme and a host, in lower case and without a path. */
export const originPattern = '^(\\*|https?://(\\*\\.)?[a-z0-9.-]{1,200}(:[0-9]{1,5})?)$'
/** No dots, because a dot separates the parts of a reference. */
export const secretNamePattern = `^[A-Za-z][A-Za-z0-9_-]{0,${limits.secretNameLength - 1}}$`
/** A number in a query. */
export const countPattern = '^[1-9][0-9]{0,5}$'

/** Messages for texts that do not match a pattern. */
export const patternMessages: Readonly<Record<string, string>> = {
  [idPattern]: 'must be 1 to 64 letters, digits, _ or -',
  [idOrEmptyPattern]: 'must be at most 64 letters, digits, _ or -',
  [originPattern]:
    'must be an origin such as https://example.com or https://*.example.com, in lower case and without a path, or *',
  [secretNamePattern]: `must be 1 to ${limits.secretNameLength} letters, digits, _ or -, starting with a letter`,
  [countPattern]: 'must be an integer >= 1',
}
