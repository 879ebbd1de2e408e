import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { node } from '../../workflow/graphs.ts'
import type { ApiClient } from '../api-client.ts'
import { addTexts, dataOf, makeBase } from '../knowledge.ts'
import { chain, llm, output } from '../run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk } from '../talk.ts'

const intervalMilliseconds = 10

interface Ids {
  code: string
  tool: string
  agent: string
  knowledge: string
}

/** A workspace with ordinary work, which must not notice what others do. */
export class Victim {
  readonly #api: ApiClient
  readonly #base: string
  readonly #token: string
  readonly #ids: Ids

  private constructor(api: ApiClient, base: string, token: string, ids: Ids) {
    this.#api = api
    this.#base = base
    this.#token = token
    this.#ids = ids
  }

  static async create(api: ApiClient, base: string, token: string, toolUrl: string): Promise<Victim> {
    const code = await makeWorkflow(
      api,
      chain(
        node('code', 'code', { code: 'function main() { return { sum: 1 + 1 } }' }),
        output('say', '{{#code.sum#}}'),
      ),
    )
    const tool = await makeWorkflow(
      api,
      chain(
        node('call', 'mcp', { url: toolUrl, tool: 'echo', arguments: {} }),
        output('say', '{{#call.text#}}'),
      ),
    )
    const workflow_id = await makeWorkflow(api, chain(llm('model', '{{#sys.query#}}'), output('say', 'ok')))
    const agent = await makeAgent(api, { workflow_id }, { access: 'public' })
    return new Victim(api, base, token, { code, tool, agent, knowledge: await makeBase(api) })
  }

  /** One of everything: a run, a tool, a turn without a token, a document that is found. */
  async work(): Promise<void> {
    const { code, tool, agent, knowledge } = this.#ids
    const run = await dataOf(this.#api.post('workflow/run', { id: code, inputs: { query: 'q' } }))
    assert.deepEqual([run.status, run.answer], ['succeeded', '2'], JSON.stringify(run.error))
    const called = await dataOf(this.#api.post('workflow/run', { id: tool }))
    assert.equal(called.status, 'succeeded', JSON.stringify(called.error))
    const anonymous = this.#api.as(undefined)
    const talk = await openTalk(anonymous, agent)
    const turn = await anonymous.post('conversation/chat', { ...talk, data_type: 'text', content: 'hello' })
    assert.equal(turn.json.code, 0, turn.text)
    const name = `${performance.now()}.txt`
    await addTexts(this.#api, knowledge, { [name]: `A banyan in ${name}` })
  }

  /** The 99th percentile of the time that a plain read takes, in milliseconds, while `during` lasts. */
  async readTime(during: Promise<unknown>): Promise<number> {
    let isOver = false
    const end = (): void => {
      isOver = true
    }
    during.then(end, end)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const times: number[] = []
    while (!isOver) {
      const startedAt = performance.now()
      await this.#read(agent)
      const took = performance.now() - startedAt
      times.push(took)
      await sleep(Math.max(0, intervalMilliseconds - took))
    }
    agent.destroy()
    times.sort((one, other) => one - other)
    return times[Math.floor(times.length * 0.99)]!
  }

  #read(agent: Agent): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token}` }
    return new Promise((resolve, reject) => {
      get(`${this.#base}/api/v1/workflow?id=${this.#ids.code}`, { agent, headers }, response => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`status ${response.statusCode}`))
        })
      }).once('error', reject)
    })
  }
}
