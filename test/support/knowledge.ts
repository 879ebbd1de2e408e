import assert from 'node:assert/strict'
import type { ApiAnswer, ApiClient } from './api-client.ts'
import { polls } from './polls.ts'

type Data = ApiAnswer['json']

/** The data of a response that must be a success. */
export async function dataOf(answer: Promise<ApiAnswer>): Promise<Data> {
  const { status, json, text } = await answer
  assert.equal(status, 200, text)
  return json.data
}

let bases = 0

/** Creates a knowledge base with a unique name and returns its id. */
export async function makeBase(api: ApiClient, settings: object = {}): Promise<string> {
  bases += 1
  const made = await dataOf(api.post('knowledge/create', { name: `Base ${bases}`, ...settings }))
  return made.knowledge_id
}

/** Waits until no document of a base is queued or being ingested, and returns its record. */
export async function whenIngested(api: ApiClient, knowledgeId: string): Promise<Data> {
  // Only ends a test that hangs: threads have a low priority, and other programs may use the processors.
  for await (const _ of polls(240)) {
    const record = await dataOf(api.get(`knowledge/${knowledgeId}`))
    if (record.status === 'ready') return record
  }
  return assert.fail(`the documents of ${knowledgeId} were not ingested`)
}

/** Adds texts, waits until they are searchable, and returns their ids in order. */
export async function addTexts(
  api: ApiClient,
  knowledgeId: string,
  texts: Record<string, string>,
  more: object = {},
): Promise<string[]> {
  const sent = Object.entries(texts).map(([name, content]) => ({ name, content }))
  const added = await dataOf(api.post(`knowledge/${knowledgeId}`, { texts: sent, ...more }))
  await whenIngested(api, knowledgeId)
  const ids = new Map(added.items.map((item: Data) => [item.name, item.file_id]))
  return sent.map(({ name }) => ids.get(name) as string)
}
