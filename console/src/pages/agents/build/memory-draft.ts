import type { AgentRecord } from '../agent-record.ts'

export interface MemoryRow {
  key: string
  name: string
  description: string
  /** The default as it is typed: a text, or JSON where it was no text before. */
  value: string
  /** The default as it is stored, which goes along when the key gets another name. */
  stored?: unknown
}

const printed = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

export const memoryRowsOf = (memory: AgentRecord['memory']): MemoryRow[] =>
  Object.entries(memory).map(([key, entry]) => ({
    key,
    name: entry.name ?? '',
    description: entry.description ?? '',
    value: printed(entry.default),
    stored: entry.default,
  }))

/** A default that was no text stays none, as long as what is typed can be read as JSON. */
function defaultOf({ value, stored }: MemoryRow): unknown {
  if (value === printed(stored)) return stored
  if (stored === undefined || typeof stored === 'string') return value === '' ? undefined : value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

export const memoryOf = (rows: readonly MemoryRow[]): AgentRecord['memory'] =>
  Object.fromEntries(
    rows.map(row => {
      const made = defaultOf(row)
      const { key, name, description } = row
      return [key.trim(), { name, description, ...(made !== undefined && { default: made }) }]
    }),
  )

export type MemoryProblem = 'missing' | 'double'

/** What keeps each row from being stored: a row needs a key, and no row before it may have the same. */
export function memoryProblems(rows: readonly MemoryRow[]): (MemoryProblem | undefined)[] {
  const keys = rows.map(({ key }) => key.trim())
  return keys.map((key, at) => (key === '' ? 'missing' : keys.indexOf(key) < at ? 'double' : undefined))
}
