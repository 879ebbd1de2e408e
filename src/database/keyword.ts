import type { Database } from './database.ts'
import { type IndexedFilter, rowOfEntry } from './page.ts'
import { marks, Query, raw, sql } from './sql.ts'

/** The text in which keywords are searched; case is folded here, because the databases fold it differently. */
export const searchText = (...parts: string[]): string => parts.join('\n').toLowerCase()

/** A user's keyword as the pattern of `search LIKE ? ESCAPE '\'`. */
const searchPattern = (keyword: string): string => `%${searchText(keyword).replace(/[\\%_]/g, '\\$&')}%`

/** For a table so small that keywords need no index. */
export const hasKeyword = (keyword: string): Query => sql`search LIKE ${searchPattern(keyword)} ESCAPE '\\'`

/** The index holds every sequence of up to this many characters. */
const gramLength = 3
/** Further sequences would hardly narrow the candidates down. */
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
const sources = [
  'workflows',
  'files',
  'agents',
  'conversations',
  'knowledge_bases',
  'documents',
  'runs',
] as const

interface SearchedTable {
  table: (typeof sources)[number]
  /** The alias of the table in the query. */
  alias?: string
  /** The column that names a row within its scope. */
  key?: string
  /**
   * The value that restricts the list, such as a workspace id. Index entries start with it, so other scopes cost
   * nothing.
   */
  scope: string
  /** The scope as a condition. */
  inScope: Query
}

/** A table whose lists are restricted to one workspace. */
export const inWorkspace = (table: SearchedTable['table'], workspaceId: string): SearchedTable => ({
  table,
  scope: workspaceId,
  inScope: sql`workspace_id = ${workspaceId}`,
})

/** The filter for a keyword, undefined for an empty one. */
export function keywordFilter(
  { dialect }: Pick<Database, 'dialect'>,
  { table, alias = table, key = 'id', scope, inScope }: SearchedTable,
  keyword: string,
): IndexedFilter | undefined {
  if (keyword === '') return undefined
  const condition = sql`${raw(alias)}.search LIKE ${searchPattern(keyword)} ESCAPE '\\'`
  const grams = gramsOf(keyword)
  const isExact = [...searchText(keyword)].length <= gramLength
  const prefix = `${table}.${scope}.`
  const rowWith = (isEntry: Query): Query => rowOfEntry(dialect, raw(table), raw(alias), isEntry)
  if (dialect === 'sqlite') {
    const all = grams.map(gram => `"${prefix}${Buffer.from(gram).toString('hex')}"`).join(' ')
    const entry = raw(`(rowid - ${sources.indexOf(table)}) / 8`)
    const entries = sql`(SELECT ${entry} AS entry FROM search_index WHERE search_index MATCH ${all}) AS entries`
    return { condition, isExact, entries, row: rowWith(sql`${raw(alias)}.rowid = entry`) }
  }
  const entriesWith = (start: string): Query => {
    const all = grams.map(gram => start + gram)
    const array = new Query(`ARRAY[${marks(all.length)}]::TEXT[]`, all)
    return sql`(SELECT id AS entry FROM search_index WHERE grams @> ${array}) AS entries`
  }
  return {
    ...{ condition, isExact, entries: entriesWith(prefix) },
    row: rowWith(sql`${inScope} AND ${raw(`${alias}.${key}`)} = entry`),
    // PostgreSQL collects all entries before it counts the first.
    sample: entriesWith(`sample.${prefix}`),
  }
}
