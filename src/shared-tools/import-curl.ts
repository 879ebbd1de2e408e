import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { decodePercent } from '../kernel/decode-percent.ts'
import { isRecord } from '../kernel/is-record.ts'
import { parsedJson } from '../kernel/parsed-json.ts'
import { isCredentialParameter } from '../workflow/credentials.ts'
import { type CurlCommand, readCurl } from './curl-command.ts'
import {
  formType,
  type ImportedTool,
  type ImportedTools,
  methods,
  type NeededSecret,
  plainText,
  referenceTo,
  secretName,
  toolName,
} from './imported-tool.ts'
import { shellWords } from './shell-words.ts'

/** Headers that belong to a browser or a connection, not to the call. */
const droppedHeader =
  /^(host|content-length|connection|accept-encoding|accept-language|user-agent|referer|origin|sec-.*|dnt|pragma|cache-control|priority|upgrade-insecure-requests|cookie|if-.*|te|x-requested-with)$/i
const credentialHeader = /auth|api[-_]?key|token|secret|passw|signature|session|credential|key$/i
const variable = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$|^<([\w -]+)>$|^%(\w+)%$/

/** Makes a tool of a curl command: values that vary become parameters, credentials become secrets. */
export function importCurl(text: string): ImportedTools {
  const words = shellWords(text.trim().replace(/^[$>%#]\s+/, ''))
  if (!/^curl(\.exe)?$/i.test(words[0] ?? ''))
    throw invalidField('/content', 'must be a command that starts with curl')
  return new CurlImport(readCurl(words.slice(1))).read()
}

class CurlImport {
  readonly #command: CurlCommand
  readonly #url: URL
  readonly #service: string
  readonly #secrets: NeededSecret[] = []
  readonly #notes: string[]
  readonly #headers: Record<string, string> = {}
  readonly #properties: Record<string, unknown> = {}
  readonly #places: ImportedTool['places'] = {}

  constructor(command: CurlCommand) {
    this.#command = command
    this.#notes = command.notes
    const { url: given } = command
    const url =
      given === ''
        ? undefined
        : URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`)
    if (!url || !/^https?:$/.test(url.protocol) || url.hostname.includes('$'))
      throw invalidField('/content', 'has no URL that a tool can call, such as https://example.com/items')
    this.#url = url
    this.#service = url.hostname.replace(/^(www|api)\./, '').split('.')[0] ?? ''
  }

  read(): ImportedTools {
    const { data, form, sendsDataInQuery } = this.#command
    const sendsBody = data.length + form.length > 0 && !sendsDataInQuery
    const method = this.#command.method ?? (sendsBody ? 'POST' : 'GET')
    if (!methods.includes(method))
      throw invalidField('/content', `has the method ${method}; tools use ${methods.join(', ')}`)
    this.#readHeaders()
    const query = this.#readQuery()
    if (sendsBody && ['GET', 'HEAD', 'DELETE'].includes(method))
      this.#notes.push(`The body was left out: tools send none with ${method}.`)
    else if (sendsBody) this.#readBody()
    const url = this.#url
    const path = url.pathname.split('/').filter(part => /^[A-Za-z_{]/.test(part) && !/^v\d+$/.test(part))
    const named = path.slice(-2).join('_') || this.#service
    const address = `${url.origin}${url.pathname}`.replace(/%7B/gi, '{').replace(/%7D/gi, '}')
    const tool: ImportedTool = {
      name: toolName(`${method.toLowerCase()}_${named}`),
      description: '',
      method,
      url: query === '' ? address : `${address}?${query}`,
      headers: this.#headers,
      parameters: { type: 'object', properties: this.#properties },
      places: this.#places,
      notes: this.#notes,
    }
    return { tools: [tool], secrets: this.#secrets, notes: [] }
  }

  /** A reference to a new secret for a value; for a shell variable the secret has a name but no value. */
  #secret(label: string, value: string): string {
    const found = variable.exec(value)
    const named = found?.slice(1).find(Boolean)
    let name = secretName(named ?? `${this.#service}_${label}`)
    const secret = { name, value: found ? '' : value }
    const same = this.#secrets.find(each => each.value === secret.value && each.value !== '')
    if (same) return referenceTo(same.name)
    if (this.#secrets.length === limits.curlSecrets)
      throw invalidField('/content', `has more than ${limits.curlSecrets} credentials`)
    for (let number = 2; this.#secrets.some(each => each.name === name); number++)
      name = `${secret.name}_${number}`
    this.#secrets.push({ ...secret, name })
    return referenceTo(name)
  }

  #readHeaders(): void {
    for (const [given, value] of this.#command.headers) {
      const name = given.toLowerCase()
      if (name === 'cookie')
        this.#notes.push('The cookie was left out: it belongs to the session of a browser, which ends.')
      if (value === '' || droppedHeader.test(name)) continue
      const scheme = /^(Bearer|Basic|Token|ApiKey|Key)\s+(\S.*)$/i.exec(value)
      if (scheme) this.#headers[name] = `${scheme[1]} ${this.#secret('token', scheme[2]!)}`
      else if (credentialHeader.test(name)) this.#headers[name] = this.#secret(name.replace(/^x-/, ''), value)
      else this.#headers[name] = plainText(value)
    }
    const { username, password } = this.#url
    const user = this.#command.user ?? (username && decodePercent(`${username}:${password}`))
    if (user && this.#headers['authorization'] === undefined)
      this.#headers['authorization'] = `Basic ${this.#secret('basic', Buffer.from(user).toString('base64'))}`
  }

  /** Reads the query as parameters; credentials stay in the URL, as references. */
  #readQuery(): string {
    const { data, sendsDataInQuery } = this.#command
    const sent = sendsDataInQuery ? data.flatMap(each => [...new URLSearchParams(each)]) : []
    const fixed: string[] = []
    for (const [name, value] of grouped([...this.#url.searchParams, ...sent])) {
      if (isCredentialParameter(name))
        for (const each of [value].flat())
          fixed.push(`${encodeURIComponent(name)}=${this.#secret(name, each)}`)
      else this.#parameter(name, exampleOf(value), 'query')
    }
    return fixed.join('&')
  }

  #parameter(name: string, schema: Record<string, unknown>, place?: 'query' | 'body'): void {
    this.#properties[name] = schema
    if (place) this.#places[name] = place
  }

  #readBody(): void {
    const { data, form } = this.#command
    const text = data.join('&')
    const body = form.length > 0 ? undefined : parsedJson(text)
    if (isRecord(body)) {
      if (this.#headers['content-type']?.startsWith('application/json')) delete this.#headers['content-type']
      for (const [name, value] of Object.entries(body)) this.#parameter(name, this.#member(name, value))
    } else if (body !== undefined) {
      this.#parameter('body', exampleOf(body), 'body')
    } else if (form.length > 0 || (this.#headers['content-type'] ?? formType).startsWith(formType)) {
      if (form.length > 0)
        this.#notes.push('The form (-F) is sent url-encoded: tools cannot send multipart forms.')
      this.#headers['content-type'] = formType
      for (const [name, value] of grouped(form.length > 0 ? form : new URLSearchParams(text)))
        this.#parameter(name, this.#member(name, value))
    } else this.#parameter('body', { ...exampleOf(text), description: 'The whole body.' }, 'body')
  }

  #member(name: string, value: unknown): Record<string, unknown> {
    const hasText = [value].flat().some(each => typeof each === 'string')
    if (!isCredentialParameter(name) || !hasText) return exampleOf(value)
    this.#notes.push(
      `The value of "${name}" was left out: it looks like a credential, and tools send secrets in the URL and headers only.`,
    )
    return typeOf(value)
  }
}

/** Groups pairs by name; a repeated name has a list of values. */
const grouped = (pairs: Iterable<[string, string]>): [name: string, value: string | string[]][] =>
  [...Map.groupBy(pairs, ([name]) => name)].map(([name, [first, ...others]]) => [
    name,
    others.length === 0 ? first![1] : [first!, ...others].map(([, value]) => value),
  ])

const maxExampleLength = 2000

/** The schema of a value; the value of the command is the default, unless it stands for another one. */
function exampleOf(value: unknown): Record<string, unknown> {
  const type = typeOf(value)
  const json = JSON.stringify(value)
  const isPlaceholder = typeof value === 'string' && (variable.test(value) || /^\{[\w -]+\}$/.test(value))
  return json === undefined ||
    value === null ||
    isPlaceholder ||
    json.length > maxExampleLength ||
    json.includes('{{#')
    ? type
    : { ...type, default: value }
}

function typeOf(value: unknown): Record<string, unknown> {
  if (value === null || typeof value === 'string') return { type: 'string' }
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? typeOf(value[0]) : {} }
  if (isRecord(value))
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typeOf(each)])),
    }
  return { type: Number.isInteger(value) ? 'integer' : typeof value }
}
