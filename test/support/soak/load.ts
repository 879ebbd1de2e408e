import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { node } from '../../workflow/graphs.ts'
import type { ApiAnswer, ApiClient } from '../api-client.ts'
import { dataOf, makeBase } from '../knowledge.ts'
import { chain, echoGraph, output } from '../run-graphs.ts'
import type { SinkServer } from '../sink-server.ts'
import { makeAgent, makeWorkflow, messagesOf, openTalk } from '../talk.ts'

export interface Counts {
  calls: number
  /** Calls that had to be repeated: the server was killed, or asked to wait. */
  repeated: number
}

/** Does the same work again and again, and can tell afterwards whether all that was acknowledged is there. */
export interface Client {
  name: string
  step(): Promise<void>
  /** What is wrong. */
  check(api: ApiClient): Promise<string[]>
}

const mayRepeat = ({ status }: ApiAnswer): boolean => status === 429 || status >= 502

/** Repeats a call until it is answered, as a client behind a load balancer does: with the same Idempotency-Key. */
export class PatientApi {
  readonly counts: Counts = { calls: 0, repeated: 0 }
  readonly seconds: number[] = []
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  async post(path: string, body: unknown, key?: string): Promise<ApiAnswer['json']> {
    const options = key === undefined ? {} : { headers: { 'idempotency-key': key } }
    return this.repeat(path, () => this.#api.post(path, body, options))
  }

  upload(name: string, content: Uint8Array): Promise<ApiAnswer['json']> {
    return this.repeat('files/upload', () => this.#api.upload(name, content))
  }

  async repeat(label: string, call: () => Promise<ApiAnswer>): Promise<ApiAnswer['json']> {
    this.counts.calls++
    for (;;) {
      const startedAt = performance.now()
      const answer = await call().catch(() => undefined)
      if (answer && !mayRepeat(answer)) {
        if (answer.status !== 200) throw new Error(`${label}: ${answer.status} ${answer.text.slice(0, 300)}`)
        this.seconds.push((performance.now() - startedAt) / 1000)
        return answer.json
      }
      this.counts.repeated++
      await sleep(200)
    }
  }
}

/** Updates one workflow: the stored one is the last acknowledged, or the one that was being sent. */
async function updates(api: PatientApi, direct: ApiClient): Promise<Client> {
  const graph = (number: number) => chain(output('say', String(number)))
  const id = await makeWorkflow(direct, graph(0))
  let acknowledged = 0
  return {
    name: 'updates',
    step: async () => {
      await api.post('workflow/update', { id, workflow: graph(acknowledged + 1) })
      acknowledged++
    },
    check: async now => {
      const { workflow } = await dataOf(now.get(`workflow?id=${id}`))
      const stored = Number(JSON.stringify(workflow).match(/"answer":"(\d+)"/)?.[1])
      return stored < acknowledged ? [`update ${acknowledged} was acknowledged, ${stored} is stored`] : []
    },
  }
}

/** Runs that have an effect: it happens once more at most, and then with the same Idempotency-Key. */
async function runs(api: PatientApi, direct: ApiClient, sink: SinkServer): Promise<Client> {
  const graph = chain(
    node('effect', 'http_request', {
      ...{ method: 'POST', url: `${sink.origin}/{{#sys.query#}}`, body: 'x', timeout_ms: 60_000 },
    }),
    output('say', 'done {{#sys.query#}}'),
  )
  const id = await makeWorkflow(direct, graph)
  const started: string[] = []
  const wrong: string[] = []
  return {
    name: 'runs',
    step: async () => {
      const name = randomUUID()
      started.push(name)
      let { data } = await api.post('workflow/run', { id, inputs: { query: name } }, name)
      while (data.status === 'running' || data.status === 'queued') {
        await sleep(200)
        data = (await api.repeat('workflow/runs', () => direct.get(`workflow/runs/${data.run_id}`))).data
      }
      if (data.status !== 'succeeded') wrong.push(`run ${data.run_id}: ${JSON.stringify(data.error)}`)
    },
    check: async () => {
      const keys = new Map<string, (string | string[] | undefined)[]>()
      for (const { path, headers } of sink.received) {
        const name = path.slice(1)
        keys.set(name, [...(keys.get(name) ?? []), headers['idempotency-key']])
      }
      for (const name of started) {
        const effects = keys.get(name) ?? []
        if (effects.length === 0) wrong.push(`run ${name} had no effect`)
        if (effects.length > 2 || new Set(effects).size > 1)
          wrong.push(`run ${name} had ${effects.length} effects with ${new Set(effects).size} keys`)
      }
      return wrong
    },
  }
}

/** Turns of one conversation: each question is there once, followed by its answer. */
async function turns(api: PatientApi, direct: ApiClient): Promise<Client> {
  const agent = await makeAgent(direct, { workflow_id: await makeWorkflow(direct, echoGraph()) })
  const talk = await openTalk(direct, agent)
  let count = 0
  return {
    name: 'turns',
    step: async () => {
      await api.post('conversation/chat', {
        ...{ ...talk, data_type: 'text', content: `question ${count}`, chat_id: `turn-${count}` },
      })
      count++
    },
    check: async now => {
      const wrong: string[] = []
      for (let offset = 0; offset < count * 2; offset += 100) {
        const messages = await messagesOf(now, talk, { limit: 100, offset })
        const questions = messages.filter(({ role }) => role === 0).map(({ content }) => content)
        const answers = messages.filter(({ role }) => role === 1)
        if (new Set(questions).size !== questions.length) wrong.push(`a turn is there twice after ${offset}`)
        if (answers.length !== questions.length) wrong.push(`a turn has no answer after ${offset}`)
      }
      return wrong
    },
  }
}

async function uploads(api: PatientApi): Promise<Client> {
  const stored = new Map<string, string>()
  return {
    name: 'uploads',
    step: async () => {
      const content = randomBytes(200_000)
      const { data } = await api.upload(`${stored.size}.bin`, content)
      stored.set(data.file_id, createHash('sha256').update(content).digest('hex'))
    },
    check: async now => {
      const wrong: string[] = []
      for (const [id, sha256] of stored) {
        const { status, bytes } = await now.bytes(`files/${id}`)
        if (status !== 200 || createHash('sha256').update(bytes).digest('hex') !== sha256)
          wrong.push(`file ${id} is not what was uploaded`)
      }
      return wrong
    },
  }
}

/** Documents that become searchable, each by a word of its own. */
async function documents(api: PatientApi, direct: ApiClient): Promise<Client> {
  const base = await makeBase(direct)
  const words: string[] = []
  return {
    name: 'documents',
    step: async () => {
      // Letters alone are one word for every tokenizer.
      const word = [...randomBytes(12)].map(byte => String.fromCharCode(97 + (byte % 26))).join('')
      const content = `${'The quick brown fox jumps over the lazy dog. '.repeat(200)} ${word}.`
      await api.post(`knowledge/${base}`, { texts: [{ name: `${word}.txt`, content }] }, word)
      words.push(word)
      await sleep(500)
    },
    check: async now => {
      const wrong: string[] = []
      const record = await dataOf(now.get(`knowledge/${base}`))
      if (record.status !== 'ready') wrong.push(`the knowledge base is ${record.status}`)
      for (const word of words) {
        const { items } = await dataOf(now.post(`knowledge/${base}/search`, { query: word }))
        const found = items.filter(({ content }: { content: string }) => content.includes(word))
        if (found.length !== 1) wrong.push(`${found.length} passages have the word ${word}`)
      }
      return wrong
    },
  }
}

export const startClients = (api: PatientApi, direct: ApiClient, sink: SinkServer): Promise<Client[]> =>
  Promise.all([
    ...Array.from({ length: 4 }, () => updates(api, direct)),
    ...Array.from({ length: 4 }, () => runs(api, direct, sink)),
    ...Array.from({ length: 3 }, () => turns(api, direct)),
    uploads(api),
    documents(api, direct),
  ])
