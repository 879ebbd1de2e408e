import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { WebhookSettings } from './trigger.ts'

/** A request to a webhook, as it was received. */
export interface Delivery {
  headers: IncomingHttpHeaders
  body: Uint8Array
  at: number
}

/** Standard Webhooks marks the key of a signature, which is in base64, like this. */
const keyPrefix = 'whsec_'
const idForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`)

export const mintWebhookSecret = (auth: WebhookSettings['auth']): string =>
  auth === 'signature'
    ? `${keyPrefix}${randomBytes(32).toString('base64')}`
    : randomBytes(32).toString('base64url')

/** Why a secret is unusable, if so. A key that is not valid base64 would decode to a shorter one. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(keyPrefix)) return undefined
  const key = secret.slice(keyPrefix.length)
  const minBytes = limits.webhookSecretMinLength
  const isKey = /^[A-Za-z0-9+/]+={0,2}$/.test(key) && Buffer.from(key, 'base64').length >= minBytes
  return isKey ? undefined : `must have at least ${minBytes} bytes in base64 after ${keyPrefix}`
}

const missing = (expected: string): AppError =>
  new AppError('token_missing', `This webhook expects ${expected}`)
const refused = (why: string): AppError => new AppError('token_invalid', why)

/** Compares hashes, which have equal lengths and do not reveal where the texts differ. */
const isEqual = (sent: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', expected, 'buffer'))

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function verifySecret(secret: string, { headers }: Delivery): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
  const sent = headerOf(headers, 'x-webhook-secret') ?? bearer
  if (sent === undefined)
    throw missing('its secret as `Authorization: Bearer <secret>` or in `X-Webhook-Secret`')
  if (!isEqual(sent, secret)) throw refused('The secret of the webhook is wrong')
  const key = headerOf(headers, 'idempotency-key')
  if (key !== undefined && !idForm.test(key))
    throw invalidField(
      'header/Idempotency-Key',
      `must be 1 to ${limits.idempotencyKeyLength} visible ASCII characters`,
    )
  return key === undefined ? undefined : `key ${key}`
}

/** Standard Webhooks: the id, the timestamp and the body are signed. */
function verifySignature(secret: string, { headers, body, at }: Delivery): string {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const sent = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !sent)
    throw missing('the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`')
  if (!idForm.test(id)) throw refused('`webhook-id` is too long, or has characters that are not allowed')
  const window = limits.webhookWindowSeconds
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(at / 1000 - Number(timestamp)) > window)
    throw refused(`\`webhook-timestamp\` differs from the time of the server by more than ${window} s`)
  const key = secret.startsWith(keyPrefix) ? Buffer.from(secret.slice(keyPrefix.length), 'base64') : secret
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  // While a sender replaces its key it signs with both.
  if (!sent.split(' ').some(each => isEqual(each, `v1,${expected}`)))
    throw refused('`webhook-signature` does not match the body and the secret of the webhook')
  return `id ${id}`
}

/** The body alone is signed, so an equal body counts as the same delivery. */
function verifyGithub(secret: string, { headers, body }: Delivery): string {
  const sent = headerOf(headers, 'x-hub-signature-256')
  if (sent === undefined) throw missing('the header `X-Hub-Signature-256`')
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  if (!isEqual(sent, expected))
    throw refused('`X-Hub-Signature-256` does not match the body and the secret of the webhook')
  return `signature ${expected}`
}

const verifiers = { secret: verifySecret, signature: verifySignature, github: verifyGithub }

/** Refuses a sender without the secret. Returns an id that repeated deliveries share, if there is one. */
export const verifyDelivery = (
  auth: WebhookSettings['auth'],
  secret: string,
  delivery: Delivery,
): string | undefined => verifiers[auth](secret, delivery)
