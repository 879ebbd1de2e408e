import { Agent, request } from 'node:http'
import { takeJob } from '../other-process.ts'
import { type Times, timesOf } from './times.ts'

export type SearchMode = 'keyword' | 'semantic' | 'hybrid'

export interface SearchJob {
  base: string
  token: string
  knowledgeId: string
  questions: string[]
  mode?: SearchMode
  topK: number
  connections: number
}

export interface FoundItem {
  chunk_id: string
  file_name: string
}

export interface SearchOutcome {
  /** Times from the request to the last byte of the response. */
  overHttp: Times
  /** Times as reported by the server. */
  took: Times
  /** The results of each question. */
  found: FoundItem[][]
}

interface Answer {
  data: { took_ms: number; mode: SearchMode; warning?: string; items: FoundItem[] }
}

function ask(agent: Agent, job: SearchJob, query: string): Promise<string> {
  const body = JSON.stringify({ query, top_k: job.topK, ...(job.mode && { mode: job.mode }) })
  return new Promise((resolve, reject) => {
    const sending = request(`${job.base}/api/v1/knowledge/${job.knowledgeId}/search`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${job.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    sending.on('error', reject).on('response', answer => {
      const parts: Buffer[] = []
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const text = Buffer.concat(parts).toString()
          if (answer.statusCode === 200) resolve(text)
          else reject(new Error(`A search was answered with ${answer.statusCode}: ${text}`))
        })
        .on('error', reject)
    })
    sending.end(body)
  })
}

/** Each client asks its next question when the last is answered. */
takeJob(async (job: SearchJob): Promise<SearchOutcome> => {
  const agent = new Agent({ keepAlive: true, maxSockets: job.connections })
  const overHttp: number[] = []
  const took: number[] = []
  const found: FoundItem[][] = []
  const waiting = job.questions.entries()
  const client = async (): Promise<void> => {
    for (const [number, question] of waiting) {
      const begun = performance.now()
      const text = await ask(agent, job, question)
      overHttp.push(performance.now() - begun)
      const { data } = JSON.parse(text) as Answer
      // A search that skipped one of its indexes would look fast.
      if (data.warning || (job.mode && data.mode !== job.mode)) throw new Error(`Not as asked: ${text}`)
      took.push(data.took_ms)
      found[number] = data.items.map(({ chunk_id, file_name }) => ({ chunk_id, file_name }))
    }
  }
  await Promise.all(Array.from({ length: job.connections }, client))
  agent.destroy()
  return { overHttp: timesOf(overHttp), took: timesOf(took), found }
})
