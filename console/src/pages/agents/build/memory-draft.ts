import type { AgentRecord } from '../agent-record.ts'

export interface MemoryRow {
  key: string
  name: string
  description: string
  /** The default as it is typed: a text, or JSON if it was not a text before. */
  value: string
  /** The stored default, which is kept when the key is renamed. */
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

/** A default that was not a text stays JSON, as long as the input is valid JSON. */
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

/** Why each row cannot be saved: a row needs a unique key. */
export function memoryProblems(rows: readonly MemoryRow[]): (MemoryProblem | undefined)[] {
  const keys = rows.map(({ key }) => key.trim())
  return keys.map((key, at) => (key === '' ? 'missing' : keys.indexOf(key) < at ? 'double' : undefined))
}
