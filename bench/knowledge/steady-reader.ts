import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeJob } from '../other-process.ts'
import { workflowId } from '../sample-graph.ts'
import { type Times, timesOf } from './times.ts'

export interface SteadyJob {
  base: string
  token: string
  milliseconds: number
  perSecond: number
  connections: number
  workflows: number
}

function get(agent: Agent, job: SteadyJob): Promise<void> {
  const id = workflowId(Math.floor(Math.random() * job.workflows))
  return new Promise((resolve, reject) => {
    request(`${job.base}/api/v1/workflow?id=${id}`, {
      agent,
      headers: { authorization: `Bearer ${job.token}` },
    })
      .on('error', reject)
      .on('response', answer => {
        if (answer.statusCode !== 200) reject(new Error(`A read was answered with ${answer.statusCode}`))
        answer.on('error', reject).on('end', resolve).resume()
      })
      .end()
  })
}

/**
 * Sends requests at a steady rate, whether or not the last response has arrived. If the server stalls, all requests of
 * that time wait, and all of them count.
 */
takeJob(async (job: SteadyJob): Promise<Times> => {
  const agent = new Agent({ keepAlive: true, maxSockets: job.connections })
  const times: number[] = []
  const asked: Promise<void>[] = []
  const begun = performance.now()
  for (let number = 0; ; number++) {
    const dueAt = begun + (number * 1000) / job.perSecond
    if (dueAt > begun + job.milliseconds) break
    const wait = dueAt - performance.now()
    if (wait > 0) await sleep(wait)
    // A late timer of this process is not caused by the server.
    const askedAt = Math.max(dueAt, performance.now() - 2)
    asked.push(get(agent, job).then(() => void times.push(performance.now() - askedAt)))
  }
  await Promise.all(asked)
  agent.destroy()
  return timesOf(times)
})
