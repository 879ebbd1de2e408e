import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The counterpart of `runElsewhere`: does one job in this process and returns its result. */
export function takeJob<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.once('message', async (job: Job) => {
    const result = await work(job)
    process.send!(result, () => process.disconnect())
  })
}

async function firstMessage<Message>(child: ChildProcess, file: string): Promise<Message> {
  const ended = new AbortController()
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`${file} ended with ${code} without a result`)
  })
  try {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [Message]
    return message
  } finally {
    exited.catch(() => {})
    ended.abort()
  }
}

/** Runs a file of this folder in a process of its own, so that measuring does not slow down what is measured. */
export async function runElsewhere<Job extends object, Result>(file: string, job: Job): Promise<Result> {
  const child = fork(join(import.meta.dirname, file))
  child.send(job)
  const exit = once(child, 'exit')
  const result = await firstMessage<Result>(child, file)
  await exit
  return result
}

export interface Helper<Announcement> {
  announcement: Announcement
  stop(): Promise<void>
}

/** Starts a file of this folder that runs until it is stopped; its first message contains its address. */
export async function startElsewhere<Job extends object, Announcement>(
  file: string,
  job: Job,
): Promise<Helper<Announcement>> {
  const child = fork(join(import.meta.dirname, file))
  child.send(job)
  const announcement = await firstMessage<Announcement>(child, file)
  return {
    announcement,
    stop: async () => {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}
