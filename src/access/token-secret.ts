import { hash, randomBytes } from 'node:crypto'

/** 256 random bits; the prefix lets people and secret scanners tell what it is. */
export const mintSecret = (): string => `banyan_${randomBytes(32).toString('base64url')}`

/** A fast hash is enough: nobody can guess 256 random bits, however fast the guesses are checked. */
export const hashSecret = (secret: string): string => hash('sha256', secret)
