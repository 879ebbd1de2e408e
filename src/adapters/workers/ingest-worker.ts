import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'
import type { Segment } from '../../knowledge/index/segment.ts'
import { mergeSegments } from '../../knowledge/index/segment-builder.ts'
import { DocumentFailure } from '../../knowledge/ingest/document-failure.ts'
import { readGroup, readIntoParts } from '../../knowledge/ingest/document-reader.ts'
import type { MediaReader } from '../../knowledge/ingest/recognition/medium.ts'
import { segmentOfTexts } from '../../knowledge/text-indexer.ts'
import { createOfficeConverter } from './office-converter.ts'
import { createRecordingSplitter } from './recording-splitter.ts'
import { type Question, type Replies, type Report, type Task, transferable } from './worker-messages.ts'

// The program of a worker thread: reads documents and merges segments without blocking requests.

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

// Requests go first where there are more threads than cores.
lowerThreadPriority(19)

const { soffice, ffmpeg } = workerData as { soffice: string; ffmpeg: string }
const onAlive = (): void => report({ kind: 'alive' })
const convert = createOfficeConverter(soffice, { onAlive })
const split = createRecordingSplitter(ffmpeg, { onAlive })

let resume: (() => void) | undefined

const report = (message: Report, segment?: Segment): void =>
  port.postMessage(message, segment ? transferable([segment]) : [])

const questions = new Map<number, (reply: Replies[keyof Replies]) => void>()
let questionCount = 0

/** The main thread replies, or ends this thread. */
function ask<Reply extends keyof Replies>(question: Question): Promise<Replies[Reply]> {
  const number = ++questionCount
  const bytes =
    question.kind === 'page' ? [question.jpeg] : question.kind === 'recording' ? [question.bytes] : []
  port.postMessage(
    { kind: 'ask', number, question } satisfies Report,
    bytes.map(each => each.buffer),
  )
  return new Promise(resolve => {
    questions.set(number, resolve as (reply: Replies[keyof Replies]) => void)
  })
}

const media: MediaReader = {
  startPages: total => ask<'pages'>({ kind: 'pages', total }),
  skipPage: () => void ask<'blank'>({ kind: 'blank' }),
  read: medium => ask<'medium'>(medium),
}

const progressMilliseconds = 500
let reportedAt = 0

/** Pages are often read within a millisecond, and each report costs the main thread time. */
const onProgress = (done: number, total: number): void => {
  const now = performance.now()
  if (now - reportedAt < progressMilliseconds) return
  reportedAt = now
  report({ kind: 'progress', done, total })
}

async function read(task: Extract<Task, { kind: 'read' }>): Promise<void> {
  for await (const part of readIntoParts(task.file, { convert, split, media, onProgress })) {
    const { promise: stored, resolve } = Promise.withResolvers<void>()
    resume = resolve
    report({ kind: 'part', part }, part.segment)
    if (part.isLast) return
    await stored
  }
}

function merge(task: Extract<Task, { kind: 'merge' }>): Segment {
  const deleted = new Set(task.deletedBatchIds)
  return mergeSegments(task.segments, batchId => deleted.has(batchId))
}

port.on('message', async (task: Task) => {
  if (task.kind === 'next') {
    resume?.()
    return
  }
  if (task.kind === 'reply') {
    questions.get(task.question)?.(task.reply)
    questions.delete(task.question)
    return
  }
  report({ kind: 'started' })
  reportedAt = performance.now()
  try {
    if (task.kind === 'read') await read(task)
    else if (task.kind === 'group') {
      const group = await readGroup(task.files)
      report({ kind: 'group', group }, group.segment)
    } else {
      const segment = task.kind === 'index' ? segmentOfTexts(task.texts) : merge(task)
      report({ kind: 'segment', segment }, segment)
    }
  } catch (error) {
    if (error instanceof DocumentFailure) {
      const { code, message, retryable } = error
      report({ kind: 'failed', code, message, retryable })
    } else
      report({
        kind: 'broken',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
  }
})
