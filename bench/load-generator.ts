import { connect, type Socket } from 'node:net'
import type { Crowd, CrowdResult, LoadJob } from './load.ts'
import { takeJob } from './other-process.ts'
import { sampleGraph, workflowId } from './sample-graph.ts'

/**
 * A minimal HTTP client on bare sockets. Each request has a different id or graph, and every response is checked, with
 * as little CPU time as possible.
 */
const headerEnd = Buffer.from('\r\n\r\n')
const lengthHeader = /\r\ncontent-length: (\d+)\r\n/i

type NextRequest = () => string

const gets = (workflows: number, head: string): NextRequest => {
  return () => {
    const id = workflowId(Math.floor(Math.random() * workflows))
    return `GET /api/v1/workflow?id=${id} HTTP/1.1\r\n${head}\r\n`
  }
}

/** Every update is a graph that was never sent before, so none is answered as unchanged. */
const updates = (workflows: number, head: string): NextRequest => {
  const run = Date.now().toString(36)
  const mark = '@'.repeat(20)
  const [before, after] = sampleGraph(mark).split(mark)
  let count = 0
  return () => {
    const id = workflowId(Math.floor(Math.random() * workflows))
    const stamp = `${run}-${count++}`.padEnd(20, '-')
    const body = `{"id":"${id}","workflow":${before}${stamp}${after}}`
    return `POST /api/v1/workflow/update HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }
}

/** Requests are formatted once, so that choosing one costs nothing. */
const posts = (path: string, bodies: readonly string[], head: string): NextRequest => {
  const printed = bodies.map(
    body =>
      `POST /api/v1${path} HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return () => printed[Math.floor(Math.random() * printed.length)]!
}

const expectedOf = { get: '"exist":true', update: '"message":"updated"' }

function questionsOf(crowd: Crowd, head: string): { next: NextRequest; expected: Buffer } {
  if (crowd.asks === 'post')
    return { next: posts(crowd.path, crowd.bodies, head), expected: Buffer.from(crowd.expected) }
  const requests = crowd.asks === 'get' ? gets : updates
  return { next: requests(crowd.workflows, head), expected: Buffer.from(expectedOf[crowd.asks]) }
}

/** Repeats requests on one connection until the time is over; resolves when the last response is complete. */
function keepAsking(
  socket: Socket,
  next: NextRequest,
  expected: Buffer,
  until: number,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer: Buffer = Buffer.alloc(0)
    let size = 0
    let askedAt = 0
    const ask = (): void => {
      askedAt = performance.now()
      if (askedAt >= until) {
        socket.end()
        resolve()
        return
      }
      answer = Buffer.alloc(0)
      size = 0
      socket.write(next())
    }
    socket.on('data', chunk => {
      answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk])
      if (size === 0) {
        const end = answer.indexOf(headerEnd)
        if (end === -1) return
        const head = answer.toString('latin1', 0, end + 2)
        size = end + 4 + Number(lengthHeader.exec(head)?.[1])
      }
      if (answer.length < size) return
      latencies.push(performance.now() - askedAt)
      if (!answer.includes(expected)) return reject(new Error(`Unexpected answer:\n${answer}`))
      ask()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a connection')))
    socket.on('connect', ask)
  })
}

async function runCrowd(job: LoadJob, crowd: Crowd): Promise<CrowdResult> {
  const head = `host: 127.0.0.1:${job.port}\r\nauthorization: Bearer ${job.token}\r\n`
  const { next, expected } = questionsOf(crowd, head)
  const latencies: number[] = []
  const begun = performance.now()
  const clients = Array.from({ length: crowd.connections }, () => {
    const socket = connect({ host: '127.0.0.1', port: job.port, noDelay: true })
    return keepAsking(socket, next, expected, begun + job.milliseconds, latencies)
  })
  await Promise.all(clients)
  const seconds = (performance.now() - begun) / 1000
  latencies.sort((left, right) => left - right)
  return {
    count: latencies.length,
    perSecond: latencies.length / seconds,
    medianMilliseconds: latencies[latencies.length >> 1]!,
    p99Milliseconds: latencies[Math.floor(latencies.length * 0.99)]!,
  }
}

takeJob((job: LoadJob) => Promise.all(job.crowds.map(crowd => runCrowd(job, crowd))))
