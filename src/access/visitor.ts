import { hash, randomBytes } from 'node:crypto'

/** 256 random bits, which a browser keeps for itself. */
export const mintVisitorSecret = (): string => `vis_${randomBytes(32).toString('base64url')}`

export const isVisitorSecret = (value: string): boolean => /^vis_[A-Za-z0-9_-]{43}$/.test(value)

const prefix = 'visitor_'

/** The user that a visitor acts as. It is stored and shown; the secret cannot be derived from it. */
export const visitorUser = (secret: string): string =>
  prefix + hash('sha256', secret, 'buffer').subarray(0, 16).toString('base64url')

export const isVisitorUser = (userId: string): boolean => userId.startsWith(prefix)
