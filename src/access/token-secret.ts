import { hash, randomBytes } from 'node:crypto'

/** 256 random bits; the prefix identifies it to people and secret scanners. */
export const mintSecret = (): string => `banyan_${randomBytes(32).toString('base64url')}`

/** A fast hash is enough: 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): string => hash('sha256', secret)
