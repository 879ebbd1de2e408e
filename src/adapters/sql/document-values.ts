import type { FilterCondition } from '../../knowledge/chunk-store.ts'
import type { Metadata, MetadataValue } from '../../knowledge/knowledge-base.ts'
import type { SqlValue, Transaction } from './database.ts'
import { marks } from './marks.ts'

/** Numbers are compared as numbers, everything else as text. */
const column = (value: MetadataValue): 'number_value' | 'text_value' =>
  typeof value === 'number' ? 'number_value' : 'text_value'

const stored = (value: MetadataValue): string | number => (typeof value === 'boolean' ? String(value) : value)

export async function insertValues(
  transaction: Transaction,
  document: { workspaceId: string; knowledgeId: string; fileId: string },
  metadata: Metadata,
): Promise<void> {
  for (const [key, value] of Object.entries(metadata))
    for (const one of new Set(Array.isArray(value) ? value : [value]))
      await transaction.run(
        `INSERT INTO document_values (workspace_id, knowledge_id, file_id, key, ${column(one)}) VALUES (?, ?, ?, ?, ?)`,
        document.workspaceId,
        document.knowledgeId,
        document.fileId,
        key,
        stored(one),
      )
}

const comparisons = { gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

function comparisonsOf(condition: FilterCondition): { sql: string; parameters: SqlValue[] }[] {
  if ('equals' in condition)
    return [{ sql: `v.${column(condition.equals)} = ?`, parameters: [stored(condition.equals)] }]
  if ('in' in condition) {
    const texts = condition.in.filter(value => typeof value !== 'number').map(stored)
    const numbers = condition.in.filter(value => typeof value === 'number')
    const either = [
      ...(texts.length > 0 ? [`v.text_value IN (${marks(texts.length)})`] : []),
      ...(numbers.length > 0 ? [`v.number_value IN (${marks(numbers.length)})`] : []),
    ]
    return [
      { sql: either.length > 0 ? `(${either.join(' OR ')})` : '1 = 0', parameters: [...texts, ...numbers] },
    ]
  }
  return (Object.keys(comparisons) as (keyof typeof comparisons)[]).flatMap(name => {
    const value = condition[name]
    return value === undefined
      ? []
      : [{ sql: `v.${column(value)} ${comparisons[name]} ?`, parameters: [value] }]
  })
}

/** What a filter adds to a WHERE over documents `d`. */
export function filterSql(conditions: FilterCondition[]): { sql: string; parameters: SqlValue[] } {
  const parts = conditions.map(condition => {
    const compared = comparisonsOf(condition)
    return {
      sql: ` AND EXISTS (SELECT 1 FROM document_values v WHERE v.workspace_id = d.workspace_id
        AND v.knowledge_id = d.knowledge_id AND v.file_id = d.file_id AND v.key = ?
        ${compared.map(each => `AND ${each.sql}`).join(' ')})`,
      parameters: [condition.key, ...compared.flatMap(each => each.parameters)],
    }
  })
  return {
    sql: parts.map(part => part.sql).join(''),
    parameters: parts.flatMap(part => part.parameters),
  }
}
