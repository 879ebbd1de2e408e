import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'

/** Encrypts texts that must not be readable in the database or in a backup. */
export interface SecretBox {
  /** `context` binds the text to its place: elsewhere it cannot be decrypted. */
  seal(text: string, context: string): string
  /** Throws `SecretUnreadable`. */
  open(sealed: string, context: string): string
}

/** Encrypted with another key, for another context, or damaged. */
export class SecretUnreadable extends Error {
  constructor() {
    super('A stored secret cannot be decrypted, most likely because SECRET_KEY has changed; enter it again')
    this.name = 'SecretUnreadable'
  }
}

const form = 'v1.'
const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM under a key that is derived from the server's secret. */
export function createSecretBox(secret: string): SecretBox {
  if (secret === '') throw new Error('SECRET_KEY must not be empty')
  let derived: Buffer | undefined
  // Slow on purpose, because people choose weak secrets; derived once, on first use.
  const key = (): Buffer => {
    derived ??= scryptSync(secret.normalize('NFC'), 'banyan secret box', 32, {
      N: 2 ** 15,
      r: 8,
      maxmem: 64 << 20,
    })
    return derived
  }
  return {
    seal: (text, context) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key(), nonce)
      cipher.setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return form + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed.slice(form.length), 'base64url')
      if (!sealed.startsWith(form) || bytes.length < nonceBytes + tagBytes) throw new SecretUnreadable()
      const decipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const opened = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
        return Buffer.concat(opened).toString('utf8')
      } catch {
        throw new SecretUnreadable()
      }
    },
  }
}
