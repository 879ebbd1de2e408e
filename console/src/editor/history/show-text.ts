/** A value as people read it: a text as it is, anything else as JSON. */
export const showText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
