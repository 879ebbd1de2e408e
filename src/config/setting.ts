import { isIP } from 'node:net'
import { parseAllowList } from '../kernel/allow-list.ts'

export interface Setting<Value> {
  description: string
  /** Default value, as shown in the reference; an empty one means unset. */
  fallback: string
  /** The value is never shown. */
  isSecret?: boolean
  read(text: string): Value
}

/** An invalid setting; the message says what is allowed. */
export class SettingError extends Error {}

export const setting = <Value>(
  fallback: string,
  description: string,
  read: (text: string) => Value,
): Setting<Value> => ({ description, fallback, read })

export const text = (fallback: string, description: string) => setting(fallback, description, value => value)

export const optionalText = (
  description: string,
  isValid: (value: string) => boolean = () => true,
  problem = '',
): Setting<string | undefined> =>
  setting('', description, value => {
    if (value !== '' && !isValid(value)) throw new SettingError(problem)
    return value || undefined
  })

export const secret = (...given: Parameters<typeof optionalText>) => ({
  ...optionalText(...given),
  isSecret: true,
})

/** A key is sent in a header. The line break that ends a file often comes with it. */
export const apiKey = (description: string) =>
  secret(
    description,
    value => /^[\x21-\x7e]+$/.test(value),
    'must be visible ASCII characters without spaces and line breaks',
  )

export const integer = (fallback: number, [minimum, maximum]: [number, number], description: string) =>
  setting(String(fallback), description, value => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < minimum || number > maximum)
      throw new SettingError(`must be a whole number from ${minimum} to ${maximum}`)
    return number
  })

function isWebAddress(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === ''
}

export const endpoint = (description: string) =>
  optionalText(description, isWebAddress, 'must be an http:// or https:// address')

export const share = (fallback: number, description: string) =>
  setting(String(fallback), description, value => {
    const number = Number(value)
    if (!/^\d*\.?\d+$/.test(value) || number > 1) throw new SettingError('must be a number from 0 to 1')
    return number
  })

const list = (description: string) =>
  setting('', description, value => {
    const parts = value.split(',').map(part => part.trim())
    return parts.filter(part => part !== '')
  })

/** An origin as browsers send it. Pages of apps have schemes of their own, whose origins `URL` does not know. */
function normalOrigin(value: string): string {
  const url = /^[a-z][a-z\d+.-]*:\/\/[^/?#@*\s]+\/?$/i.test(value) ? URL.parse(value) : null
  if (!url) throw new SettingError(`must be origins such as https://app.example.com, but ${value} is not`)
  return url.origin === 'null' ? value.replace(/\/$/, '') : url.origin
}

export const origins = (description: string) => {
  const entries = list(description)
  return setting('', description, value => entries.read(value).map(normalOrigin))
}

const isNetwork = (value: string): boolean => {
  const [address = '', prefix, ...rest] = value.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? -1
  return (
    rest.length === 0 &&
    (prefix === undefined ? bits > 0 : /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  )
}

export const networks = (description: string) => {
  const addresses = list(description)
  return setting('', description, value => {
    const wrong = addresses.read(value).find(each => !isNetwork(each))
    if (wrong !== undefined)
      throw new SettingError(`must be addresses or networks such as 10.0.0.0/8, but ${wrong} is not`)
    return addresses.read(value)
  })
}

export const destinations = (description: string) => {
  const entries = list(description)
  return setting('', description, value => {
    try {
      parseAllowList(entries.read(value))
    } catch (error) {
      throw new SettingError(`is invalid: ${(error as Error).message}`)
    }
    return entries.read(value)
  })
}

export const oneOf = <Value extends string>(values: readonly Value[], fallback: Value, description: string) =>
  setting(fallback, `${description} One of ${values.join(', ')}.`, value => {
    const found = values.find(candidate => candidate === value)
    if (!found) throw new SettingError(`must be one of ${values.join(', ')}`)
    return found
  })
