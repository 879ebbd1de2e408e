import { pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { hasPlaceholderInHost } from '../tools/http-tool.ts'
import { findCredentials } from '../workflow/credentials.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/json-record.ts'
import type { FindUsers, WorkflowUser } from '../workflow/used-by.ts'
import type { SharedTool, SharedToolStore } from './shared-tool-store.ts'

type NewTool = Pick<SharedTool, 'name' | 'type' | 'settings'>

/** The tools that agents and workflows of a workspace share. They refer to one by its id. */
export class SharedToolService {
  readonly #store: SharedToolStore
  readonly #users: readonly FindUsers[]
  readonly #clock: Clock

  constructor(store: SharedToolStore, users: readonly FindUsers[], clock: Clock) {
    this.#store = store
    this.#users = users
    this.#clock = clock
  }

  async create(workspaceId: string, tool: NewTool, by: string): Promise<SharedTool> {
    checkTool(tool)
    const now = this.#clock.now()
    const created = { id: mintId('tool'), ...tool, createdAt: now, updatedAt: now, updatedBy: by }
    const problem = await this.#store.add(workspaceId, created, limits.sharedTools)
    if (problem === 'taken') throw nameTaken(tool.name)
    if (problem === 'too_many')
      throw invalidField(
        '/name',
        `exceeds the limit of ${limits.sharedTools} shared tools in a workspace; delete one first`,
      )
    return created
  }

  /** Agents and workflows use the change from their next step on. */
  async update(
    workspaceId: string,
    id: string,
    change: { name?: string; settings: JsonRecord },
    by: string,
  ): Promise<SharedTool> {
    const now = this.#clock.now()
    const updated = await this.#store.update(workspaceId, id, before => {
      const settings = { ...before.settings, ...change.settings }
      const after = {
        ...before,
        ...change,
        settings,
        updatedAt: Math.max(now, before.updatedAt),
        updatedBy: by,
      }
      checkTool(after)
      return after
    })
    if (updated === 'taken') throw nameTaken(change.name ?? '')
    if (!updated) throw noTool(id)
    return updated
  }

  async get(workspaceId: string, id: string): Promise<SharedTool> {
    const tool = await this.#store.find(workspaceId, id)
    if (!tool) throw noTool(id)
    return tool
  }

  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<SharedTool>> {
    return this.#store.list(workspaceId, keyword, page)
  }

  async types(workspaceId: string): Promise<Map<string, SharedTool['type']>> {
    return new Map(await this.#store.types(workspaceId))
  }

  async usedBy(workspaceId: string, id: string): Promise<WorkflowUser[]> {
    await this.get(workspaceId, id)
    return (await Promise.all(this.#users.map(find => find(workspaceId, id)))).flat()
  }

  /** Refuses to delete a tool that is used, unless forced: its users would fail from then on. */
  async refuseUsed(workspaceId: string, id: string): Promise<void> {
    const users = await this.usedBy(workspaceId, id)
    if (users.length === 0) return
    const shown = users.slice(0, 3).map(({ kind, name, id }) => `${kind} "${name || id}"`)
    const more = users.length > shown.length ? ` and ${users.length - shown.length} more` : ''
    throw new AppError(
      'in_use',
      `The tool is used by ${shown.join(', ')}${more}; remove it there first, or send "force": true`,
    )
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#store.remove(workspaceId, id))) throw noTool(id)
  }

  /** The settings in the form that nodes use, with names and types, by id. */
  async settingsOf(workspaceId: string, ids: readonly string[]): Promise<Record<string, JsonRecord>> {
    const found = await this.#store.findMany(workspaceId, ids)
    return Object.fromEntries(found.map(({ id, name, type, settings }) => [id, { ...settings, name, type }]))
  }
}

const noTool = (id: string): AppError => new AppError('not_found', `There is no tool ${id}`)

const nameTaken = (name: string): AppError =>
  new AppError('already_exists', `There is already a tool named ${name}; choose another name`, {
    errors: [{ path: '/name', message: 'is taken' }],
  })

/** Many users see a shared tool, so its credentials must be secrets of the workspace. */
function checkTool({ type, settings }: NewTool): void {
  const { url: address, headers, oauth } = settings
  const credential = findCredentials({ url: address, headers, oauth }).find(each => each.isCertain)
  if (credential)
    throw invalidField(
      `/${credential.path.map(pointerSegment).join('/')}`,
      'holds a credential: store it as a secret, and write {{#secret.name#}} here',
    )
  if (JSON.stringify(settings).length > limits.sharedToolLength)
    throw invalidField(
      '/parameters',
      `must have at most ${limits.sharedToolLength} characters, together with the other settings`,
    )
  checkReferences(settings)
  const url = String(ownValue(settings, 'url') ?? '').trim()
  if (!/^https?:\/\/[^/?#]/i.test(url) && !url.startsWith('{{#secret.'))
    throw invalidField('/url', 'must be a full URL, such as https://example.com/items/{id}')
  if (type === 'http' && hasPlaceholderInHost(url))
    throw invalidField('/url', 'must not have a placeholder in the host; use it in the path or query only')
}

const secretReference = /\{\{#\s*secret\.[^#{}]+#\}\}/g

/** A tool is the same for all workflows, so it refers only to secrets, and only in settings that no model sees. */
function checkReferences({ url, headers, oauth, ...shown }: JsonRecord): void {
  const named = isJsonRecord(headers) ? Object.entries(headers) : []
  const client = isJsonRecord(oauth) ? ownValue(oauth, 'client_secret') : undefined
  const sent: [path: string, text: unknown][] = [
    ['/url', url],
    ...named.map(([name, text]): [string, unknown] => [`/headers/${pointerSegment(name)}`, text]),
    ['/oauth/client_secret', client],
  ]
  for (const [path, text] of sent)
    if (
      String(text ?? '')
        .replace(secretReference, '')
        .includes('{{#')
    )
      throw invalidField(path, 'can only refer to secrets of the workspace: {{#secret.name#}}')
  for (const [name, value] of Object.entries(shown))
    if (JSON.stringify(value).includes('{{#'))
      throw invalidField(
        `/${name}`,
        'cannot contain references; use {{#secret.name#}} in the URL and headers',
      )
}
