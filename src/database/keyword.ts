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
  const length = Math.min(gramLength, characters.length)
  const grams = new Set<string>()
  const add = (start: number) => grams.add(characters.slice(start, start + length).join(''))
  add(characters.length - length)
  for (let start = 0; start + length <= characters.length && grams.size < maxGrams; start += length)
    add(start)
  return [...grams]
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
  const exact = sql`${raw(alias)}.search LIKE ${searchPattern(keyword)} ESCAPE '\\'`
  const grams = gramsOf(keyword)
  const prefix = `${table}.${scope}.`
  if (dialect === 'sqlite') {
    const all = grams.map(gram => `"${prefix}${Buffer.from(gram).toString('hex')}"`).join(' ')
    const entry = raw(`(rowid - ${sources.indexOf(table)}) / 8`)
    return {
      exact,
      entries: sql`(SELECT ${entry} AS entry FROM search_index WHERE search_index MATCH ${all}) AS entries`,
      link: raw(`${alias}.rowid = entry`),
    }
  }
  const all = new Query(
    `ARRAY[${marks(grams.length)}]::TEXT[]`,
    grams.map(gram => prefix + gram),
  )
  return {
    exact,
    entries: sql`(SELECT id AS entry FROM search_index WHERE grams @> ${all}) AS entries`,
    link: raw(`${alias}.${key} = entry`),
  }
}
