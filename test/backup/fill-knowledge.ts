import assert from 'node:assert/strict'
import type { ApiClient } from '../support/api-client.ts'
import { addTexts, dataOf, makeBase, whenIngested } from '../support/knowledge.ts'
import type { ScriptedProvider } from '../support/scripted-provider.ts'

/** Settings of an installation that embeds with the scripted provider. */
export const modelSettings = ({ baseUrl }: ScriptedProvider): Record<string, string> => ({
  EMBEDDING_BASE_URL: baseUrl,
  EMBEDDING_MODEL: 'scripted',
  EGRESS_ALLOW: '127.0.0.1',
})

const handbook = [
  '# Leave',
  ...['Everybody has twenty days of leave.', 'Ask for it two weeks before.'],
  '# Travel',
  ...['Trains are booked by the office.', 'A hotel may cost 1,234.50 at most.'],
  '# Devices',
  ...['The scanner AX-2047-B stands on the second floor.', 'Its driver is written in C++.'],
].join('\n\n')

/**
 * A base with vectors, indexed documents and a failed one, a corrected and a disabled chunk; and a base of another
 * workspace.
 */
export async function fillKnowledge(api: ApiClient, other: ApiClient): Promise<void> {
  const id = await makeBase(api, {
    name: 'Handbook 手册',
    description: 'How we work',
    chunking: { strategy: 'heading', size: 100, overlap: 0 },
    retrieval: { top_k: 7, score_threshold: 0.01 },
    metadata: { owner: 'people', tags: ['a', 1, true] },
  })
  const metadata = { language: 'en', year: 2026, share: 0.5, tags: ['a', 'b'], open: true }
  const [leave] = await addTexts(api, id, { 'leave.md': handbook }, { metadata })
  await addTexts(api, id, { '休假.txt': '每位员工每年有二十天假期。' }, { metadata: { language: '中文' } })
  const { json } = await api.upload('blank.txt', '  \n ')
  await dataOf(api.post(`knowledge/${id}`, { file_ids: [json.data.file_id] }))
  assert.equal((await whenIngested(api, id)).failed_count, 1)

  const files = `knowledge/${id}/files/${leave}/chunks`
  const { items } = await dataOf(api.get(files))
  assert.ok(items.length >= 3, 'the document has several chunks')
  const content = 'Everybody has thirty days of leave 🌳'
  await dataOf(api.post(`${files}/${items[0].chunk_id}/update`, { content }))
  await dataOf(api.post(`${files}/${items[1].chunk_id}/update`, { enabled: false }))

  const theirs = await makeBase(other, { name: 'Handbook 手册', embedding: null })
  await addTexts(other, theirs, { 'theirs.txt': 'Nobody has any days of leave.' })
}
