import { hash } from 'node:crypto'
import type { Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import { marks } from '../../database/sql.ts'
import type { Metadata, MetadataValue } from '../../knowledge/knowledge-base.ts'
import type { FilterCondition } from '../../knowledge/metadata-filter.ts'

/** Numbers are compared as numbers, everything else as text. */
const column = (value: MetadataValue): 'number_value' | 'text_value' =>
  typeof value === 'number' ? 'number_value' : 'text_value'

/** An index holds only so much of a text; what is longer is told apart by its hash. */
const indexedLength = 200

function stored(value: MetadataValue): string | number {
  if (typeof value === 'number') return value
  const text = String(value)
  if (text.length <= indexedLength) return text
  const beginning = text.slice(0, indexedLength - 50).toWellFormed()
  return `${beginning}…${hash('sha256', text, 'base64url')}`
}

const rowsPerInsert = 50

export async function insertValues(
  transaction: Transaction,
  document: { workspaceId: string; knowledgeId: string; fileId: string },
  metadata: Metadata,
): Promise<void> {
  const rows = Object.entries(metadata).flatMap(([key, value]) =>
    [...new Set(Array.isArray(value) ? value : [value])].map((one): SqlValue[] => [
      document.workspaceId,
      document.knowledgeId,
      document.fileId,
      key,
      typeof one === 'number' ? null : stored(one),
      typeof one === 'number' ? one : null,
    ]),
  )
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    const some = rows.slice(start, start + rowsPerInsert)
    await transaction.run(
      `INSERT INTO document_values (workspace_id, knowledge_id, file_id, key, text_value, number_value)
       VALUES ${some.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
      ...some.flat(),
    )
  }
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
      : [{ sql: `v.${column(value)} ${comparisons[name]} ?`, parameters: [stored(value)] }]
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
