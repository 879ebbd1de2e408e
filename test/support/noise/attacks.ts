import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import type { Graph } from '../../../src/workflow/graph.ts'
import { edge, graph, node } from '../../workflow/graphs.ts'
import type { ApiClient } from '../api-client.ts'
import { dataOf, makeBase } from '../knowledge.ts'
import { chain, llm, output } from '../run-graphs.ts'
import { makeAgent, makeWorkflow, openTalk } from '../talk.ts'

/** The workspace that attacks, and what it can reach. */
export interface Attacker {
  api: ApiClient
  viewer: ApiClient
  /** Accepts connections and never answers. */
  silentUrl: string
  toolUrl: string
}

/**
 * Resolves when the attack has unfolded; it goes on until the signal is aborted. Being refused is no failure. Calls are
 * paced: what is tested is the harm of each call, not a flood of calls, which WORKSPACE_CALLS_PER_MINUTE limits.
 */
export type Attack = (attacker: Attacker, signal: AbortSignal) => Promise<void>

const json = { headers: { 'content-type': 'application/json' } }

const pauseMilliseconds = 50

/** Starts callers that repeat a call for as long as the attack lasts. */
function repeat(signal: AbortSignal, callers: number, call: () => Promise<unknown>): void {
  const loop = async (): Promise<void> => {
    for (; !signal.aborted; await sleep(pauseMilliseconds)) await call().catch(() => {})
  }
  for (let caller = 0; caller < callers; caller++) void loop()
}

/** Calls so many times, a few at once. */
async function callTimes(times: number, call: () => Promise<unknown>): Promise<void> {
  let left = times
  const loop = async (): Promise<void> => {
    while (left-- > 0) await call().catch(() => {})
  }
  await Promise.all(Array.from({ length: 8 }, loop))
}

/** The id of the stored graph, or undefined where it is refused. */
async function store(api: ApiClient, workflow: Graph | string): Promise<string | undefined> {
  const text = typeof workflow === 'string' ? workflow : JSON.stringify(workflow)
  const { status, json: answer } = await api.post(
    'workflow/create',
    `{"name":"attack","workflow":${text}}`,
    json,
  )
  return status === 200 ? answer.data.id : undefined
}

async function repeatRun(
  { api }: Attacker,
  signal: AbortSignal,
  workflow: Graph | string,
  { callers, query }: { callers: number; query: string },
): Promise<void> {
  const id = await store(api, workflow)
  if (id === undefined) return repeat(signal, callers, () => store(api, workflow))
  const body = JSON.stringify({ id, inputs: { query } })
  repeat(signal, callers, () => api.post('workflow/run', body, json))
}

const waitingRequest = (url: string) => node('wait', 'http_request', { url, timeout_ms: 1_200_000 })

/** Three streams inside each other, which decompress to 256 MiB. */
function pdfBomb(): Buffer {
  let content: Buffer = Buffer.alloc(256 << 20, ' ')
  for (let level = 0; level < 3; level++) content = deflateSync(content, { level: 9 })
  const head = `<< /Length ${content.length} /Filter [/FlateDecode /FlateDecode /FlateDecode] >>\nstream\n`
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n'),
    Buffer.from('2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n'),
    Buffer.from('3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >> endobj\n'),
    Buffer.from(`4 0 obj ${head}`),
    content,
    Buffer.from('\nendstream endobj\ntrailer << /Root 1 0 R >>\n'),
  ])
}

const members = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join()

export const attacks: Record<string, Attack> = {
  'conditions over a long text': async (attacker, signal) => {
    const when = `{"left":"{{#sys.query#}}","op":"contains","right":"zz"}`
    const cases = `[{"id":"a","match":"any","when":[${Array(100_000).fill(when).join()}]},{"id":"b","when":[]}]`
    const text = JSON.stringify(
      graph(
        [node('input', 'input'), node('if', 'condition', { cases: 'CASES' }), node('end', 'end')],
        [edge('input', 'if'), edge('if', 'end', 'b')],
      ),
    ).replace('"CASES"', cases)
    await repeatRun(attacker, signal, text, { callers: 2, query: 'z0'.repeat(49_500) })
  },

  'templates with many references': (attacker, signal) =>
    repeatRun(attacker, signal, chain(output('say', '{{#sys.user_id#}}'.repeat(450_000))), {
      callers: 2,
      query: 'q',
    }),

  'bodies with many members, without a token': async ({ api }, signal) => {
    const body = `{"agent_id":"agent_x",${members(75_000)}}`
    repeat(signal, 2, () => api.as(undefined).post('conversation/chat', body, json))
  },

  'graphs of many members to check, as a viewer': async ({ viewer }, signal) => {
    const body = `{"workflow":{"nodes":[],"edges":[],${members(550_000)}}}`
    repeat(signal, 2, () => viewer.post('workflow/check', body, json))
  },

  'runs that hold large outputs': async ({ api, silentUrl }) => {
    const large = Array.from({ length: 3 }, (_, at) =>
      node(`large_${at}`, 'template', { template: '{{#sys.query#}}'.repeat(115) }),
    )
    const id = await makeWorkflow(api, chain(...large, waitingRequest(silentUrl)))
    const body = JSON.stringify({ id, wait: 0, inputs: { query: '榕'.repeat(84_000) } })
    await callTimes(40, () => api.post('workflow/run', body, json))
  },

  'endless code': async (attacker, signal) => {
    const codes = Array.from({ length: 16 }, (_, at) =>
      node(`code_${at}`, 'code', {
        code: 'function main() { for (;;); }',
        on_error: 'skip',
        retry: { times: 10, delay_ms: 0 },
      }),
    )
    const parallel = graph(
      [node('input', 'input'), ...codes, node('end', 'end')],
      codes.flatMap(({ id }) => [edge('input', id), edge(id, 'end')]),
    )
    await repeatRun(attacker, signal, parallel, { callers: 2, query: 'q' })
  },

  'thousands of runs that wait': async ({ api, silentUrl }) => {
    const id = await makeWorkflow(api, chain(waitingRequest(silentUrl)))
    const body = JSON.stringify({ id, wait: 0 })
    await callTimes(2100, () => api.post('workflow/run', body, json))
  },

  'hundreds of turns without a token': async ({ api }) => {
    const workflow_id = await makeWorkflow(
      api,
      chain(llm('model', 'never answer'), output('say', '{{#model.text#}}')),
    )
    const agent_id = await makeAgent(api, { workflow_id }, { access: 'public' })
    const anonymous = api.as(undefined)
    for (let count = 0; count < 230; count++) {
      const talk = await openTalk(anonymous, agent_id)
      // Nothing answers them.
      anonymous
        .post('conversation/chat', { ...talk, data_type: 'text', content: 'never answer' })
        .catch(() => {})
    }
  },

  'documents that take a thread for long': async ({ api }) => {
    const base = await makeBase(api)
    const bomb = pdfBomb()
    for (let count = 0; count < 12; count++) {
      const file = await api.upload(`bomb-${count}.pdf`, Buffer.concat([bomb, Buffer.from(`% ${count}\n`)]))
      await api.post(`knowledge/${base}`, { file_ids: [file.json.data?.file_id] })
    }
  },

  'sessions of tool servers': async ({ api, toolUrl }, signal) => {
    const call = (at: number) =>
      node(`mcp_${at}`, 'mcp', {
        url: toolUrl,
        tool: 'echo',
        arguments: {},
        headers: { 'X-Session': `{{#sys.query#}}${at}` },
      })
    const id = await makeWorkflow(api, chain(...Array.from({ length: 8 }, (_, at) => call(at))))
    let count = 0
    repeat(signal, 2, () => dataOf(api.post('workflow/run', { id, inputs: { query: String(count++) } })))
  },

  'large graphs that are stored': async ({ api }, signal) => {
    const pad = 'x'.repeat(7_500_000)
    let count = 0
    repeat(signal, 2, () =>
      api.post(
        'workflow/update',
        `{"id":"big_${count++ % 8}","workflow":{"nodes":[],"edges":[],"n":${count},"pad":"${pad}"}}`,
        json,
      ),
    )
  },
}
