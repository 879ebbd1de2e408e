import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiClient, apiClient } from '../api-client.ts'
import { createObjects, filesPerRefresh } from './objects.ts'
import type { Random } from './random.ts'
import type { KnownIds } from './sample.ts'

export interface Caller {
  /** Undefined for a missing or invalid token. */
  role: string | undefined
  operator: boolean
  workspace: 'default' | 'fuzz'
  authorization: string | undefined
}

/** Repeated here rather than imported from the server, since it is what is being checked. */
const allowed: Record<string, readonly string[]> = {
  admin: ['public', 'token', 'run', 'read', 'write', 'admin'],
  editor: ['public', 'token', 'run', 'read', 'write'],
  viewer: ['public', 'token', 'read'],
  runner: ['public', 'token', 'run'],
}

export const mayUse = (caller: Caller, access: string): boolean =>
  access === 'operator' ? caller.operator : (allowed[caller.role ?? '']?.includes(access) ?? false)

/** Everything that a careless JSON reader or writer would change. */
const markerGraph =
  '{"edges":[], "nodes" : [{"id":"n","type":"base","data":{"type":"other","big":9007199254740993,"zero":-0,' +
  '"twice":1,"twice":2,"__proto__":{"polluted":"yes"},"lone":"\\ud800","nul":"\\u0000","数据源/API工具":[1e400]}}]}'
const markerBytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 31) % 256))

export interface World {
  callers: readonly Caller[]
  known: KnownIds
  operator: ApiClient
  /** Must never appear in a response. */
  secrets: readonly string[]
  /** Files that exist according to the responses so far. */
  fileCounts: Record<Caller['workspace'], number>
  /** Creates the objects that requests refer to once more. */
  refresh(): Promise<void>
  /** Returns what is wrong with the stored data; an empty list means nothing. */
  check(): Promise<string[]>
}

const countFiles = async (folder: string): Promise<number> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).length

async function listAll(api: ApiClient): Promise<{ sha256: string }[]> {
  const items: { sha256: string }[] = []
  for (let page = 1; ; page++) {
    const { json } = await api.post('files', { page, page_size: 100 })
    items.push(...json.data.items)
    if (items.length >= json.data.total || json.data.items.length === 0) return items
  }
}

interface WorldOptions {
  base: string
  token: string
  dataDir: string
  modelUrl: string
}

/** Two workspaces with data of every kind, callers of every role, and two markers. */
export async function createWorld({ base, token, dataDir, modelUrl }: WorldOptions): Promise<World> {
  const operator = apiClient(base, token)
  const fuzzWorkspace = (await operator.post('workspace/create', { name: 'fuzz' })).json.data
  const admin = operator.as(fuzzWorkspace.token)
  const make = async (role: string): Promise<Caller> => {
    const agents = role === 'runner' ? { agent_ids: ['agent_1'] } : {}
    const { json } = await admin.post('token/create', { name: role, role, ...agents })
    return { role, operator: false, workspace: 'fuzz', authorization: `Bearer ${json.data.token}` }
  }
  const wrong = (authorization: string | undefined): Caller => ({
    role: undefined,
    operator: false,
    workspace: 'fuzz',
    authorization,
  })
  const callers: Caller[] = [
    { role: 'admin', operator: true, workspace: 'default', authorization: `Bearer ${token}` },
    ...(await Promise.all(['admin', 'editor', 'viewer', 'runner'].map(make))),
    wrong(undefined),
    wrong('Bearer wrong'),
    wrong(`Basic ${Buffer.from(`a:${token}`).toString('base64')}`),
    wrong('Bearer'),
    wrong(token),
  ]

  await admin.post('workflow/update', `{"id":"marker","workflow":${markerGraph}}`, {
    headers: { 'content-type': 'application/json' },
  })
  const markerFile = (await admin.upload('marker.bin', markerBytes)).json.data.file_id as string
  const fileCounts = { default: 0, fuzz: 1 }
  const known: KnownIds = { url: [modelUrl] }
  const refresh = async (): Promise<void> => {
    const [ours, theirs] = await Promise.all([operator, admin].map(api => createObjects(api, modelUrl)))
    for (const prefix of Object.keys(ours!)) known[prefix] = [...ours![prefix]!, ...theirs![prefix]!]
    for (const workspace of ['default', 'fuzz'] as const) fileCounts[workspace] += filesPerRefresh
    const doomed = await operator.post('workspace/create', { name: 'doomed' })
    known['ws'] = known['default'] = [doomed.json.data.id]
  }

  const startTime = async (): Promise<string | undefined> =>
    /^process_start_time_seconds (\S+)/m.exec((await operator.get('/metrics')).text)?.[1]
  const startedAt = await startTime()

  const checkStored = async (): Promise<string[]> => {
    const problems: string[] = []
    const marker = await admin.get('workflow?id=marker')
    if (!marker.text.includes(`"config":${markerGraph},`))
      problems.push(`the marker workflow: ${marker.text}`)
    const content = await admin.bytes(`files/${markerFile}`)
    if (!content.bytes.equals(markerBytes)) problems.push(`the marker file: status ${content.status}`)
    let contents = 0
    for (const [workspace, api] of [['default', operator] as const, ['fuzz', admin] as const]) {
      const items = await listAll(api)
      contents += new Set(items.map(item => item.sha256)).size
      if (items.length !== fileCounts[workspace])
        problems.push(`${workspace}: ${items.length} files, but the responses imply ${fileCounts[workspace]}`)
    }
    const blobs = await countFiles(join(dataDir, 'files', 'blobs'))
    if (blobs !== contents) problems.push(`${blobs} contents are on the disk for ${contents} in the database`)
    const temporary = await countFiles(join(dataDir, 'files', 'tmp'))
    if (temporary > 0) problems.push(`${temporary} temporary files were left`)
    return problems
  }

  return {
    callers,
    known,
    refresh,
    operator,
    secrets: [token, fuzzWorkspace.token, dataDir, process.cwd()],
    fileCounts,
    check: async () => {
      const problems = await checkStored()
      const health = await operator.get('/healthz')
      if (health.status !== 200 || health.headers.has('polluted')) problems.push(`healthz: ${health.text}`)
      if ((await operator.get('/readyz')).status !== 200) problems.push('the server is not ready')
      if ((await startTime()) !== startedAt) problems.push('it is another process')
      if (({} as { polluted?: string }).polluted !== undefined) problems.push('objects are polluted')
      return problems
    },
  }
}

/** Usually an authorized caller, often enough an unauthorized one. */
export function pickCaller(world: World, access: string, random: Random): Caller {
  const able = world.callers.filter(caller => mayUse(caller, access) || access === 'anyone')
  return random.chance(0.85) && able.length > 0 ? random.pick(able) : random.pick(world.callers)
}
