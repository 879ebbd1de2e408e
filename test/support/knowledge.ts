import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from './api-client.ts'

type Data = ApiAnswer['json']

/** The data of an answer that must be a success. */
export async function dataOf(answer: Promise<ApiAnswer>): Promise<Data> {
  const { status, json, text } = await answer
  assert.equal(status, 200, text)
  return json.data
}

let bases = 0

/** A knowledge base with a name of its own; gives back its id. */
export async function makeBase(api: ApiClient, settings: object = {}): Promise<string> {
  bases += 1
  const made = await dataOf(api.post('knowledge/create', { name: `Base ${bases}`, ...settings }))
  return made.knowledge_id
}

/** Waits until nothing of a base is waiting or being read; gives back its record. */
export async function whenRead(api: ApiClient, knowledgeId: string): Promise<Data> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(15)) {
    const record = await dataOf(api.get(`knowledge/${knowledgeId}`))
    if (record.status === 'ready') return record
  }
  return assert.fail(`the documents of ${knowledgeId} are not read`)
}

/** Adds texts and waits until they can be found; gives back their ids, in order. */
export async function addTexts(
  api: ApiClient,
  knowledgeId: string,
  texts: Record<string, string>,
  more: object = {},
): Promise<string[]> {
  const sent = Object.entries(texts).map(([name, content]) => ({ name, content }))
  const added = await dataOf(api.post(`knowledge/${knowledgeId}`, { texts: sent, ...more }))
  await whenRead(api, knowledgeId)
  const ids = new Map(added.items.map((item: Data) => [item.name, item.file_id]))
  return sent.map(({ name }) => ids.get(name) as string)
}
