import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM. `context` binds the text to its place: elsewhere it cannot be decrypted. */
export function encrypt(key: Uint8Array, text: string, context = ''): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws if the bytes are damaged, or were encrypted with another key or for another context. */
export function decrypt(key: Uint8Array, bytes: Buffer, context = ''): string {
  const nonce = bytes.subarray(0, nonceBytes)
  // A shorter tag could be guessed.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const opened = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
  return Buffer.concat(opened).toString('utf8')
}

/** The text was encrypted with another key or for another context, or is damaged. */
export class SecretUnreadable extends Error {
  constructor() {
    super('A stored secret cannot be decrypted, most likely because SECRET_KEY has changed; enter it again')
    this.name = 'SecretUnreadable'
  }
}

const form = 'v1.'

/** Encrypts texts that must not be readable in the database or in a backup, with a key derived from a secret. */
export class SecretBox {
  readonly #secret: string
  #derived: Buffer | undefined

  constructor(secret: string) {
    if (secret === '') throw new Error('SECRET_KEY must not be empty')
    this.#secret = secret.normalize('NFC')
  }

  /** Slow on purpose, because people choose weak secrets; derived once, on first use. */
  get #key(): Buffer {
    this.#derived ??= scryptSync(this.#secret, 'banyan secret box', 32, {
      N: 2 ** 15,
      r: 8,
      maxmem: 64 << 20,
    })
    return this.#derived
  }

  seal(text: string, context: string): string {
    return form + encrypt(this.#key, text, context).toString('base64url')
  }

  /** Throws `SecretUnreadable`. */
  open(sealed: string, context: string): string {
    if (!sealed.startsWith(form)) throw new SecretUnreadable()
    try {
      return decrypt(this.#key, Buffer.from(sealed.slice(form.length), 'base64url'), context)
    } catch {
      throw new SecretUnreadable()
    }
  }
}
