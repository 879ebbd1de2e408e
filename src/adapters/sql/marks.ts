/** `?, ?, ?` for a list of so many parameters. */
export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ')
