import { createHash } from 'node:crypto'
import type { ApiClient } from '../support/api-client.ts'

async function all(api: ApiClient, path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for (let page = 1; ; page++) {
    const { json, text } = await api.post(path, { page, page_size: 100 })
    if (json?.code !== 0) throw new Error(`${path} answered ${text}`)
    items.push(...json.data.items)
    if (json.data.items.length < 100) return items
  }
}

const byId = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
  JSON.stringify(a) < JSON.stringify(b) ? -1 : 1

/** All that a workspace shows over HTTP, word for word; the content of files by its checksum. */
export async function everything(api: ApiClient) {
  const workflows = []
  for (const workflow of await all(api, 'workflow/list')) {
    const id = String(workflow['id'])
    const versions = []
    for (let version = 1; version <= Number(workflow['version']); version++)
      versions.push((await api.get(`workflow/version?id=${id}&version=${version}`)).text)
    workflows.push({ workflow, current: (await api.get(`workflow?id=${id}`)).text, versions })
  }
  const files = []
  for (const file of await all(api, 'files')) {
    const { status, bytes } = await api.bytes(`files/${file['file_id']}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    files.push({ ...file, status, isRight: sha256 === file['sha256'] })
  }
  const tokens = await all(api, 'token/list')
  return { workflows, files: files.sort(byId), tokens }
}
