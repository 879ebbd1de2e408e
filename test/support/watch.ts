import assert from 'node:assert/strict'
import { openUnmigrated } from '../../src/adapters/sql/open-database.ts'
import type { ApiAnswer, ApiClient } from './api-client.ts'
import { dataOf } from './knowledge.ts'
import { polls } from './polls.ts'

type Data = ApiAnswer['json']

/** Polls until the result is neither undefined nor false. Gives up late: other processes may keep the machine busy. */
export async function until<Value>(
  label: string,
  look: () => Promise<Value | undefined | false>,
  seconds = 180,
): Promise<Value> {
  for await (const _ of polls(seconds)) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
  }
  return assert.fail(`not within ${seconds} s: ${label}`)
}

/** The documents of a base, the last added first. */
export const documentsOf = async (api: ApiClient, knowledgeId: string): Promise<Data[]> =>
  (await dataOf(api.get(`knowledge/${knowledgeId}/files?page_size=100`))).items

export async function documentOf(api: ApiClient, knowledgeId: string, fileId: string): Promise<Data> {
  const found = (await documentsOf(api, knowledgeId)).find(document => document.file_id === fileId)
  return found ?? assert.fail(`${fileId} is not a document of ${knowledgeId}`)
}

export const ask = (api: ApiClient, knowledgeId: string, query: string, more: object = {}): Promise<Data> =>
  dataOf(api.post(`knowledge/${knowledgeId}/search`, { query, ...more }))

/** The names of the documents that a query finds, without repetition, the best first. */
export const namesFound = async (
  api: ApiClient,
  knowledgeId: string,
  query: string,
  more: object = {},
): Promise<string[]> => {
  const { items } = await ask(api, knowledgeId, query, more)
  return [...new Set<string>(items.map((item: Data) => item.file_name))]
}

/** Rows per table, read directly from the database. */
export async function countRows(
  place: { url: string | undefined; folder: string },
  tables: readonly string[],
): Promise<Record<string, number>> {
  const database = (await openUnmigrated(place)) ?? assert.fail(`there is no database in ${place.folder}`)
  try {
    const counts: Record<string, number> = {}
    for (const table of tables)
      counts[table] = (await database.get<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`))!.total
    return counts
  } finally {
    await database.close()
  }
}
