import type { Pausable } from '../../kernel/slices.ts'
import { TextFinder } from '../../kernel/text-finder.ts'
import { credentialMask } from '../credentials.ts'
import { isJsonRecord } from '../json-record.ts'
import { StepFailure } from '../step.ts'

/** The value of a secret, or why it cannot be used. */
type FoundSecret = { readonly value: string } | { readonly problem: string }

/** The secrets of the workspace that exist among the names. */
export type FindSecrets = (
  workspaceId: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, FoundSecret>>

/** The secrets that one graph uses, for the time of its execution. Nothing stored or shown holds their values. */
export class SecretValues {
  readonly #found: ReadonlyMap<string, FoundSecret>
  readonly #finder: TextFinder | undefined

  constructor(found: ReadonlyMap<string, FoundSecret>) {
    this.#found = found
    const forms = [...found.values()].flatMap(secret => ('value' in secret ? formsOf(secret.value) : []))
    if (forms.length > 0) this.#finder = new TextFinder(forms)
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

  /** Masks secrets inside a value, because a server may send back what it received. */
  *mask<Value>(value: Value): Pausable<Value> {
    return (this.#finder ? yield* masked(this.#finder, value, { visited: 0 }) : value) as Value
  }
}

/** Values that are visited before other work gets its turn. */
const pieceValues = 1000

function* masked(finder: TextFinder, value: unknown, progress: { visited: number }): Pausable<unknown> {
  if (++progress.visited % pieceValues === 0) yield
  if (typeof value === 'string')
    return value.length < finder.minLength ? value : yield* finder.replaceIn(value, credentialMask)
  if (typeof value === 'number') {
    const text = String(value)
    if (text.length < finder.minLength) return value
    const shown = yield* finder.replaceIn(text, credentialMask)
    return shown === text ? value : shown
  }
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const each of value) list.push(yield* masked(finder, each, progress))
    return list
  }
  if (!isJsonRecord(value)) return value
  // A null prototype, so that a key such as __proto__ is only a key.
  const record: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value)) {
    const shown = (yield* masked(finder, key, progress)) as string
    record[shown] = yield* masked(finder, value[key], progress)
  }
  return record
}

/** The secrets that a graph uses; undefined where it uses none. */
export async function loadSecrets(
  { findSecrets, workspaceId }: { findSecrets: FindSecrets; workspaceId: string },
  { secretNames }: { secretNames: readonly string[] },
): Promise<SecretValues | undefined> {
  if (secretNames.length === 0) return undefined
  return new SecretValues(await findSecrets(workspaceId, secretNames))
}

/**
 * As it is, and encoded in JSON, JSON inside a text in JSON, a path, a query, a form, Base64 and, in lower case, a host
 * name.
 */
function formsOf(secret: string): string[] {
  const value = secret.trim().toWellFormed()
  const inJson = JSON.stringify(value).slice(1, -1)
  const inUrl = encodeURIComponent(value)
  return [
    value,
    value.toLowerCase(),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURI(value),
    inUrl,
    inUrl.toLowerCase(),
    inUrl.replace(/%../g, digits => digits.toLowerCase()),
    new URLSearchParams({ '': value }).toString().slice(1),
    ...base64Forms(value),
  ]
}

/** Base64 encodes three bytes at a time, so a secret has three forms, depending on the bytes before it. */
function base64Forms(value: string): string[] {
  return ['', '-', '--'].flatMap(before => {
    const bytes = Buffer.from(before + value)
    // Leaves out the characters that also hold bits of the bytes before and after the secret.
    const from = Math.ceil((before.length * 8) / 6)
    const text = bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6))
    return [text, text.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(text)]
  })
}
