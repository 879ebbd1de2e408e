import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { takeJob } from './other-process.ts'

export interface FileJob {
  base: string
  token: string
  act: 'upload' | 'upload as multipart' | 'download'
  /** The file to upload; for a download, the expected content. */
  path: string
  sha256: string
  fileId?: string
}

export interface FileResult {
  seconds: number
  fileId: string
}

const chunkBytes = 256 << 10
const boundary = 'a-boundary-that-random-bytes-do-not-hold'

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return text
}

async function* multipart(path: string): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="random.bin"\r\n\r\n`,
  )
  yield* createReadStream(path, { highWaterMark: chunkBytes })
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

async function upload(job: FileJob): Promise<string> {
  const isMultipart = job.act === 'upload as multipart'
  const sending = request(`${job.base}/api/v1/files/upload?name=random.bin`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${job.token}`,
      ...(isMultipart
        ? { 'content-type': `multipart/form-data; boundary=${boundary}` }
        : { 'content-type': 'application/octet-stream', 'content-length': (await stat(job.path)).size }),
    },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    sending.on('response', resolve).on('error', reject),
  )
  await pipeline(
    isMultipart ? multipart(job.path) : createReadStream(job.path, { highWaterMark: chunkBytes }),
    sending,
  )
  const text = await textOf(await answered)
  const stored = (JSON.parse(text) as { data: { file_id: string; sha256: string } }).data
  if (stored.sha256 !== job.sha256) throw new Error(`The upload came to other bytes: ${text}`)
  return stored.file_id
}

async function download(job: FileJob): Promise<string> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(`${job.base}/api/v1/files/${job.fileId}`, { headers: { authorization: `Bearer ${job.token}` } })
      .on('response', resolve)
      .on('error', reject)
      .end(),
  )
  const hash = createHash('sha256')
  await pipeline(answer, hash)
  if (hash.digest('hex') !== job.sha256) throw new Error('The download gave other bytes')
  return job.fileId!
}

takeJob(async (job: FileJob): Promise<FileResult> => {
  const begun = performance.now()
  const fileId = await (job.act === 'download' ? download(job) : upload(job))
  return { seconds: (performance.now() - begun) / 1000, fileId }
})
