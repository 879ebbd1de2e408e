/** Text that every database can hold: what models and services write may have NUL characters or half characters. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '')
