import { pointerSegment } from '../contract/finding.ts'
import { harmlessHeaders } from '../kernel/harmless-headers.ts'
import { type JsonChanges, replaceInJson } from '../kernel/replace-in-json.ts'
import { atOnce, type Pausable } from '../kernel/slices.ts'
import { UniqueNames } from '../kernel/unique-names.ts'
import { type Graph, parseGraph } from './graph.ts'
import { isJsonRecord, type JsonRecord } from './json-record.ts'

/** Shown instead of a credential. */
export const credentialMask = '•••'

/** A text that is, or may be, a credential: written out in a graph or an agent instead of a reference to a secret. */
interface Credential {
  /** Keys from the searched value down to the text. */
  readonly path: readonly string[]
  /** Its name in messages. */
  readonly label: string
  /** The text that it is part of. */
  readonly text: string
  /** False for a header that merely may hold one: it is kept from readers, but its author need not change it. */
  readonly isCertain: boolean
  readonly masked: string
  /** The text with references to secrets; `reference` makes one for a name. */
  referring(reference: (name: string) => string): string
}

/** It was read by a token that may not see the credential. */
export const isMasked = ({ text }: Credential): boolean => text.includes(credentialMask)

const memberName =
  /api[_-]?key|access[_-]?key|subscription[_-]?key|token$|secret|passw|^(pwd|pass|auth|sig|jwt)$|credential|signature|authorization/i

const isCredentialMember = (name: string): boolean => memberName.test(name)

/** Whether the value of a parameter of a URL is a credential. */
export const isCredentialParameter = (name: string): boolean =>
  isCredentialMember(name) || /^key$/i.test(name)

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** A reference, or a placeholder that a model fills in, is no credential: it gets its value when the step runs. */
const isLiteral = (text: string): boolean =>
  text.trim() !== '' && !text.includes('{{#') && !/^\{[^{}]+\}$/.test(text)

/** The scheme before the credential in the value of a header, such as "Bearer ". */
const schemeOf = (text: string): string => /^(bearer|basic|token|apikey|key)\s+/i.exec(text)?.[0] ?? ''

const headerName = /auth|cookie|token|secret|passw?|sign|session|jwt|credential|key(?![a-z])/i

/** Whether a header certainly holds a credential, by its name or by a value that is used for nothing else. */
const isCredentialHeader = (name: string, text: string): boolean =>
  headerName.test(name) || schemeOf(text) !== '' || /^(?=.*\d)(?=.*[a-z])\S{20}\S*$/i.test(text)

const maxUrlLength = 16 << 10
const userOfUrl = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@/i
const parameterOfUrl = /([?&])([^=&#{}]+)=((?:\{\{#[^{}]*#\}\}|[^&#])+)/g

/** Replaces the password of a URL, and its parameters whose names suggest a credential. */
const replaceInUrl = (url: string, by: (name: string) => string): string =>
  url
    .replace(userOfUrl, (whole, scheme: string, user: string) =>
      isLiteral(user) ? `${scheme}${by('password')}@` : whole,
    )
    .replace(parameterOfUrl, (whole, before: string, name: string, value: string) =>
      isCredentialParameter(name) && isLiteral(value) ? `${before}${name}=${by(name)}` : whole,
    )

const maxBodyLength = 256 << 10
const memberOfJson = /"([^"\\]{1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d[\w.+-]*)/gs
const fieldOfForm = /(^|&)([^=&\s{}"]{1,100})=((?:\{\{#[^{}]*#\}\}|[^&])+)/g

/** Replaces the members of a body, in JSON or as a form, whose names suggest a credential. */
const replaceInBody = (body: string, by: (name: string) => string): string =>
  /^\s*[[{]/.test(body)
    ? body.replace(memberOfJson, (whole, name: string, colon: string, value: string) =>
        isCredentialMember(name) && isLiteral(value.replace(/^"|"$/g, ''))
          ? `"${name}"${colon}"${by(name)}"`
          : whole,
      )
    : body.replace(fieldOfForm, (whole, before: string, name: string, value: string) =>
        isCredentialParameter(name) && isLiteral(value) ? `${before}${name}=${by(name)}` : whole,
      )

/** A URL as a trace shows it: any part of its query may be a credential. */
export const traceableUrl = (url: string): string =>
  url.replace(/\?.*$/s, `?${credentialMask}`).replace(userOfUrl, `$1${credentialMask}@`)

/** Where a text may be, or contain, a credential. */
const textPlaces = new Set(['url', 'headers', 'body', 'arguments'])

/** An object of texts and numbers, of which a graph may have hundreds of thousands. */
function isWithoutCredentials(value: unknown): boolean {
  if (!isJsonRecord(value)) return false
  for (const name in value) if (typeof value[name] === 'object' || textPlaces.has(name)) return false
  return true
}

/** Finds literal credentials in headers, in URLs, and in values of a request whose names suggest a credential. */
class CredentialSearch {
  readonly found: Credential[] = []
  readonly #path: string[] = []

  any(value: unknown): void {
    if (isWithoutCredentials(value)) return
    this.#members(value, (name, member) => {
      if (name === 'headers') this.#headers(member)
      else if (name === 'url' && typeof member === 'string')
        this.#parts('The URL', name, member, replaceInUrl, maxUrlLength)
      else if ((name === 'body' || name === 'arguments') && typeof member === 'string')
        this.#parts('The body', name, member, replaceInBody, maxBodyLength)
      else if (name === 'environment' || name === 'form') this.#named(member)
      // An imported node keeps its settings of the other platform here; they may hold credentials anywhere.
      else if (name === 'original') this.#data(member, key => isCredentialMember(key) || key === 'headers')
      else if (name === 'query' || name === 'params') this.#data(member, isCredentialParameter)
      else if (name === 'body' || name === 'arguments' || name === 'authorization' || name === 'oauth')
        this.#data(member, isCredentialMember)
      else if (typeof member === 'object') this.any(member)
    })
  }

  #members(value: unknown, visit: (name: string, member: unknown) => void): void {
    if (typeof value !== 'object' || value === null) return
    for (const name of Object.keys(value)) {
      this.#path.push(name)
      visit(name, (value as JsonRecord)[name])
      this.#path.pop()
    }
  }

  #headers(headers: unknown): void {
    if (!isJsonRecord(headers)) return void (isScalar(headers) && this.#add('"headers"', 'headers', headers))
    this.#members(headers, (name, header) => {
      if (!isScalar(header) || harmlessHeaders.has(name.toLowerCase())) return
      const isCertain = isCredentialHeader(name, String(header))
      this.#add(`The header ${JSON.stringify(name)}`, name, header, isCertain)
    })
  }

  #data(data: unknown, isCredential: (name: string) => boolean): void {
    this.#members(data, (name, member) => {
      if (!isScalar(member)) this.#data(member, isCredential)
      else if (isCredential(name)) this.#add(JSON.stringify(name), name, member)
    })
  }

  /** A list of values, each with its name. */
  #named(list: unknown): void {
    this.#members(list, (_, entry) => {
      const name = isJsonRecord(entry) ? entry['name'] : undefined
      if (typeof name !== 'string' || !isCredentialParameter(name)) return
      this.#members(entry, (key, value) => {
        if (key === 'value' && isScalar(value)) this.#add(JSON.stringify(name), name, value)
      })
    })
  }

  #add(label: string, name: string, value: string | number, isCertain = true): void {
    const text = String(value)
    if (!isLiteral(text)) return
    const referring: Credential['referring'] = reference => schemeOf(text) + reference(name)
    this.found.push({ path: [...this.#path], label, text, isCertain, masked: credentialMask, referring })
  }

  /** A text of which only parts are credentials. */
  #parts(label: string, place: string, text: string, replaceIn: typeof replaceInUrl, max: number): void {
    // Searching such a long text would take too long, so all of it counts as a possible credential.
    if (text.length > max) return void this.#add(label, place, text, false)
    const names: string[] = []
    const masked = replaceIn(text, name => {
      names.push(name)
      return credentialMask
    })
    if (names.length === 0) return
    const referring: Credential['referring'] = reference => replaceIn(text, reference)
    const named = `${label} (${names.join(', ')})`
    this.found.push({ path: [...this.#path], label: named, text, isCertain: true, masked, referring })
  }
}

export function findCredentials(value: unknown): Credential[] {
  const search = new CredentialSearch()
  search.any(value)
  return search.found
}

export interface PlacedCredential extends Credential {
  /** JSON pointer in the request that holds the graph. */
  readonly pointer: string
}

/** The credentials of all nodes; `pointer` is the place of the graph in the request. */
export function* credentialsIn({ nodes }: Graph, pointer: string): Pausable<PlacedCredential[]> {
  const found: PlacedCredential[] = []
  for (const [place, { data }] of nodes.entries()) {
    for (const credential of findCredentials(data)) {
      const inside = credential.path.map(pointerSegment).join('/')
      found.push({ ...credential, pointer: `${pointer}/nodes/${place}/data/${inside}` })
    }
    yield
  }
  return found
}

/** Replaces what was found in a JSON text, which otherwise stays as it is. */
function replaceFound(
  json: string,
  found: readonly (readonly [path: readonly string[], text: string])[],
): Pausable<string> {
  const changes: JsonChanges = new Map()
  for (const [path, text] of found) {
    let inner = changes
    for (const key of path.slice(0, -1)) {
      const deeper = inner.get(key)
      const next: JsonChanges = deeper instanceof Map ? deeper : new Map()
      inner.set(key, next)
      inner = next
    }
    inner.set(path.at(-1)!, JSON.stringify(text))
  }
  return replaceInJson(json, changes)
}

/** The same value with masks in the place of its credentials. */
export function maskCredentials<Value>(value: Value): Value {
  const found = findCredentials(value)
  if (found.length === 0) return value
  const replaced = replaceFound(
    JSON.stringify(value),
    found.map(({ path, masked }) => [path, masked]),
  )
  return JSON.parse(atOnce(replaced)) as Value
}

/** `onlyCertain` leaves possible credentials in the graph, for a reader who may see them. */
export function* hideCredentials(
  graph: Uint8Array,
  { by, onlyCertain = false }: { by: 'mask' | 'reference'; onlyCertain?: boolean },
): Pausable<Uint8Array> {
  const { nodes } = yield* parseGraph(graph)
  const json = new TextDecoder().decode(graph)
  const names = new UniqueNames(by === 'reference' ? secretsIn(json) : [], maxNameLength)
  const found: (readonly [path: readonly string[], text: string])[] = []
  for (const [place, { id, data }] of nodes.entries()) {
    for (const credential of findCredentials(data)) {
      if (onlyCertain && !credential.isCertain) continue
      const hidden = by === 'reference' ? withSecrets(id, credential, names) : credential.masked
      found.push([['nodes', String(place), 'data', ...credential.path], hidden])
    }
    yield
  }
  return found.length === 0 ? graph : Buffer.from(yield* replaceFound(json, found))
}

const maxNameLength = 64

/** The names of the secrets that a graph refers to. */
const secretsIn = (json: string): string[] =>
  Array.from(json.matchAll(/\{\{#\s*secret\.([\w-]+)/g), ([, name]) => name!)

/**
 * The text of a credential with a reference to a secret for each of its parts. Credentials that shared a secret would be
 * sent to the servers of each other.
 */
function withSecrets(nodeId: string, { text, referring }: Credential, names: UniqueNames): string {
  let part = 0
  return referring(name => {
    const wanted = secretName(nodeId, name)
    return `{{#secret.${names.nameOf(`${wanted} ${part++} ${text}`, wanted)}#}}`
  })
}

/** A name for the secret that the importer of a graph has to store. */
const secretName = (nodeId: string, name: string): string =>
  `${nodeId}_${name}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, maxNameLength) || 'secret'
