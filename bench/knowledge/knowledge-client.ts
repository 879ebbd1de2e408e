import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerProcess, token } from '../server-process.ts'

export interface TextToAdd {
  name: string
  content: string
}

export interface KnowledgeState {
  status: 'ready' | 'indexing'
  document_count: number
  chunk_count: number
  failed_count: number
}

const textsPerCall = 100
/** Well below what one call may hold, so that its encoding does not matter. */
const charactersPerCall = 6_000_000

/** The API calls for knowledge bases. */
export class KnowledgeClient {
  readonly #base: string

  constructor(server: Pick<ServerProcess, 'base'>) {
    this.#base = `${server.base}/api/v1`
  }

  async call<Data>(path: string, body?: object): Promise<Data> {
    const answer = await fetch(`${this.#base}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text.slice(0, 500)}`)
    return (JSON.parse(text) as { data: Data }).data
  }

  async create(name: string, settings: object = { embedding: null }): Promise<string> {
    return (await this.call<{ knowledge_id: string }>('/knowledge/create', { name, ...settings }))
      .knowledge_id
  }

  async addTexts(knowledgeId: string, texts: readonly TextToAdd[]): Promise<void> {
    let some: TextToAdd[] = []
    let characters = 0
    for (const [at, text] of texts.entries()) {
      some.push(text)
      characters += text.content.length
      const isLast = at === texts.length - 1
      if (!isLast && some.length < textsPerCall && characters < charactersPerCall) continue
      await this.call(`/knowledge/${knowledgeId}`, { texts: some })
      some = []
      characters = 0
    }
  }

  addFiles(knowledgeId: string, fileIds: readonly string[]): Promise<unknown> {
    return this.call(`/knowledge/${knowledgeId}`, { file_ids: fileIds })
  }

  async upload(name: string, content: string): Promise<string> {
    const answer = await fetch(`${this.#base}/files/upload?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: content,
    })
    if (!answer.ok) throw new Error(`An upload was answered with ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: { file_id: string } }).data.file_id
  }

  state(knowledgeId: string): Promise<KnowledgeState> {
    return this.call(`/knowledge/${knowledgeId}`)
  }

  /** Waits until all documents can be found; a failed document fails the benchmark. */
  async untilReady(knowledgeId: string): Promise<KnowledgeState> {
    for (let pause = 10; ; pause = Math.min(200, pause * 1.2)) {
      const state = await this.state(knowledgeId)
      if (state.failed_count > 0) throw new Error(`${state.failed_count} documents could not be read`)
      if (state.status === 'ready') return state
      await sleep(pause)
    }
  }
}
