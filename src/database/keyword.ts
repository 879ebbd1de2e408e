import type { Database } from './database.ts'
import type { Narrowing } from './page.ts'
import { marks, Query, raw, sql } from './sql.ts'

/** What a keyword is searched in; case is folded here, because the databases fold it differently. */
export const searchText = (...parts: string[]): string => parts.join('\n').toLowerCase()

/** A user's keyword as the pattern of `search LIKE ? ESCAPE '\'`. */
const searchPattern = (keyword: string): string => `%${searchText(keyword).replace(/[\\%_]/g, '\\$&')}%`

/** The index holds every sequence of up to this many characters. */
const gramLength = 3
/** More would hardly narrow the candidates down. */
const maxGrams = 12

/** Sequences that every text with the keyword contains: side by side as far as they fit, and the last one. */
function gramsOf(keyword: string): string[] {
  const characters = [...searchText(keyword)]
  const last = Math.max(0, characters.length - gramLength)
  const starts = [last]
  for (let start = 0; start < last && starts.length < maxGrams; start += gramLength) starts.push(start)
  return starts.map(start => characters.slice(start, start + gramLength).join(''))
}

/** Tables whose column `search` is indexed. The order is that of the numbers in the SQLite index. */
const sources = ['workflows', 'files', 'agents', 'conversations', 'knowledge_bases', 'documents'] as const

export interface SearchedTable {
  table: (typeof sources)[number]
  /** What the query calls the table. */
  alias?: string
  /** The column that names a row within its scope. */
  key?: string
}

/**
 * The filter for a keyword, undefined for an empty one. `scope` is what the list is restricted to anyway, the workspace
 * or the knowledge base: the index is separate for each, so that it does not matter how much others store.
 */
export function keywordFilter(
  { dialect }: Pick<Database, 'dialect'>,
  { table, alias = table, key = 'id' }: SearchedTable,
  scope: string,
  keyword: string,
): Narrowing | undefined {
  if (keyword === '') return undefined
  const condition = sql`${raw(alias)}.search LIKE ${searchPattern(keyword)} ESCAPE '\\'`
  const grams = gramsOf(keyword)
  const isExact = [...searchText(keyword)].length <= gramLength
  const prefix = `${table}.${scope}.`
  if (dialect === 'sqlite') {
    const all = grams.map(gram => `"${prefix}${Buffer.from(gram).toString('hex')}"`).join(' ')
    const entry = raw(`(rowid - ${sources.indexOf(table)}) / 8`)
    const entries = sql`(SELECT ${entry} AS entry FROM search_index WHERE search_index MATCH ${all}) AS entries`
    return { condition, isExact, entries, link: raw(`${alias}.rowid = entry`) }
  }
  const entriesWith = (start: string): Query => {
    const all = grams.map(gram => start + gram)
    const array = new Query(`ARRAY[${marks(all.length)}]::TEXT[]`, all)
    return sql`(SELECT id AS entry FROM search_index WHERE grams @> ${array}) AS entries`
  }
  const link = raw(`${alias}.${key} = entry`)
  // PostgreSQL collects all entries before it counts the first.
  return { condition, isExact, entries: entriesWith(prefix), link, sample: entriesWith(`sample.${prefix}`) }
}
