import { credentialMask } from '../credentials.ts'
import { isJsonRecord } from '../json-record.ts'
import { StepFailure } from '../step.ts'

/** The value of a secret, or why it cannot be used. */
export type FoundSecret = { readonly value: string } | { readonly problem: string }

/** The secrets of the workspace that exist among the names. */
export type FindSecrets = (
  workspaceId: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, FoundSecret>>

/** The secrets that one graph uses, for the time of its execution. Nothing stored or shown holds their values. */
export class SecretValues {
  readonly #found: ReadonlyMap<string, FoundSecret>
  readonly #forms: RegExp | undefined

  constructor(found: ReadonlyMap<string, FoundSecret>) {
    this.#found = found
    const forms = [...found.values()].flatMap(secret => ('value' in secret ? formsOf(secret.value) : []))
    // The longest first: a secret may be part of another.
    const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length)
    if (longestFirst.length > 0) this.#forms = new RegExp(longestFirst.map(escaped).join('|'), 'g')
  }

  get(name: string): string {
    const secret = this.#found.get(name)
    if (secret && 'value' in secret) return secret.value
    throw new StepFailure(
      'step_failed',
      secret?.problem ??
        `There is no secret "${name}"; add it in Secrets, or send it with POST /api/v1/secret/set.`,
    )
  }

  /** The same value without the secrets in it: a server may send back what it received. */
  mask<Value>(value: Value): Value {
    return (this.#forms ? this.#masked(value) : value) as Value
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return value.replace(this.#forms!, credentialMask)
    if (typeof value === 'number') {
      const text = String(value)
      const masked = this.#masked(text)
      return masked === text ? value : masked
    }
    if (Array.isArray(value)) return value.map(each => this.#masked(each))
    if (!isJsonRecord(value)) return value
    // A null prototype, so that a key such as __proto__ is only a key.
    const masked: Record<string, unknown> = Object.create(null)
    for (const key of Object.keys(value)) masked[this.#masked(key) as string] = this.#masked(value[key])
    return masked
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The secrets that a graph uses; undefined where it uses none. */
export async function loadSecrets(
  { findSecrets, workspaceId }: { findSecrets: FindSecrets; workspaceId: string },
  { secretNames }: { secretNames: readonly string[] },
): Promise<SecretValues | undefined> {
  if (secretNames.length === 0) return undefined
  return new SecretValues(await findSecrets(workspaceId, secretNames))
}

/** As it is sent, and as it is written inside JSON, a path, a query, a form and, in lower case, a host. */
function formsOf(secret: string): string[] {
  const value = secret.trim().toWellFormed()
  return [
    value,
    value.toLowerCase(),
    JSON.stringify(value).slice(1, -1),
    encodeURI(value),
    encodeURIComponent(value),
    new URLSearchParams({ '': value }).toString().slice(1),
  ]
}
