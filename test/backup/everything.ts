import { createHash } from 'node:crypto'
import type { ApiClient } from '../support/api-client.ts'

type Item = Record<string, unknown>

async function all(
  path: string,
  ask: (paging: { page: number; page_size: number }) => ReturnType<ApiClient['get']>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const { json, text } = await ask({ page, page_size: 100 })
    if (json?.code !== 0) throw new Error(`${path} answered ${text}`)
    items.push(...json.data.items)
    if (json.data.items.length < 100) return items
  }
}

const posted = (api: ApiClient, path: string): Promise<Item[]> => all(path, paging => api.post(path, paging))

const got = (api: ApiClient, path: string): Promise<Item[]> =>
  all(path, ({ page, page_size }) => api.get(`${path}?page=${page}&page_size=${page_size}`))

const byId = (a: Item, b: Item): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const questions = ['days of leave', '二十天假期', 'ax2047b', 'c++', 'train']

/** The search results for a query. The databases compute the last digits of a similarity differently. */
async function found(api: ApiClient, path: string, query: string, mode: string | undefined, more = {}) {
  const { json, text } = await api.post(path, {
    query,
    top_k: 20,
    explain: true,
    ...(mode && { mode }),
    ...more,
  })
  if (json?.code !== 0) throw new Error(`${path} answered ${text}`)
  const { took_ms: _, ...rest } = json.data
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value
  return JSON.parse(JSON.stringify({ query, ...rest }, rounded))
}

async function knowledge(api: ApiClient) {
  const bases = []
  for (const base of await posted(api, 'knowledge')) {
    const path = `knowledge/${base['knowledge_id']}`
    const documents = []
    for (const document of await got(api, `${path}/files`))
      documents.push({ document, chunks: await got(api, `${path}/files/${document['file_id']}/chunks`) })
    const modes = base['embedding'] ? ['keyword', 'semantic', 'hybrid'] : ['keyword']
    const answers = []
    for (const query of questions)
      for (const mode of modes) answers.push(await found(api, `${path}/search`, query, mode))
    const filter = { year: { gte: 2026 }, tags: 'b', open: true }
    answers.push(await found(api, `${path}/search`, 'days leave', undefined, { filter }))
    bases.push({ base, documents, answers })
  }
  return bases
}

/** What lists find by keyword: the index is no part of a backup. */
async function filtered(api: ApiClient) {
  const totals: Record<string, number> = {}
  for (const path of ['workflow/list', 'files', 'knowledge', 'agent/list'])
    for (const keyword of ['a', 'e', 'de', 'text', 'md', '1'])
      totals[`${path} ${keyword}`] = (await api.post(path, { keyword })).json.data.total
  return totals
}

/** Everything that a workspace returns over HTTP, verbatim; the content of files by its checksum. */
export async function everything(api: ApiClient) {
  const workflows = []
  for (const workflow of await posted(api, 'workflow/list')) {
    const id = String(workflow['id'])
    const versions = []
    for (let version = 1; version <= Number(workflow['version']); version++)
      versions.push((await api.get(`workflow/version?id=${id}&version=${version}`)).text)
    const layout = (await api.get(`workflow/layout?id=${id}`)).text
    workflows.push({ workflow, current: (await api.get(`workflow?id=${id}`)).text, versions, layout })
  }
  const files = []
  for (const file of await posted(api, 'files')) {
    const { status, bytes } = await api.bytes(`files/${file['file_id']}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    files.push({ ...file, status, isRight: sha256 === file['sha256'] })
  }
  const tokens = await posted(api, 'token/list')
  // A secret that cannot be decrypted says so.
  const secrets = await posted(api, 'secret/list')
  const { days, by_agent, by_workflow, quotas } = (await api.get('usage')).json.data
  const { storage_bytes, documents } = quotas
  return {
    ...{ workflows, files: files.sort(byId), tokens, secrets, stored: { storage_bytes, documents } },
    ...{
      audit: (await api.get('audit?page_size=100')).text,
      usage: { days, by_agent, by_workflow },
      knowledge: await knowledge(api),
      filtered: await filtered(api),
    },
  }
}
