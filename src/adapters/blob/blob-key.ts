import { randomText } from '../../kernel/random-text.ts'

/** Lower-case hex, which is safe on case-insensitive file systems; 128 random bits do not collide. */
export const mintKey = (): string => randomText(16, 'hex')

export const isKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name)

/** Keys come from our own rows, so an invalid key is a bug and not an error of the client. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new Error('Invalid blob key')
}
