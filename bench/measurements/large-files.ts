import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileJob, FileResult } from '../file-client.ts'
import { atLeast, type Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import { writeRandomFile } from '../random-file.ts'
import { peakBytes, residentBytes, type ServerProcess, token, withServer } from '../server-process.ts'
import { type Pair, sideBySide } from '../side-by-side.ts'
import type { CopyJob } from '../stream-copy.ts'
import { megabytes, megabytesPerSecond } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'large-files'

const rounds = 5
const size = 256
const hugeSize = 1024
const maxGrowth = 64 << 20

interface Sample {
  path: string
  sha256: string
}

class FileClient {
  readonly #server: ServerProcess
  readonly #sample: Sample

  constructor(server: ServerProcess, sample: Sample) {
    this.#server = server
    this.#sample = sample
  }

  #run(act: FileJob['act'], fileId?: string): Promise<FileResult> {
    const { base } = this.#server
    return runElsewhere<FileJob, FileResult>('file-client.ts', {
      base,
      token,
      act,
      fileId,
      ...this.#sample,
    })
  }

  async upload(act: 'upload' | 'upload as multipart'): Promise<number> {
    const { seconds, fileId } = await this.#run(act)
    await this.remove(fileId)
    return seconds
  }

  async store(): Promise<string> {
    return (await this.#run('upload')).fileId
  }

  async download(fileId: string): Promise<number> {
    return (await this.#run('download', fileId)).seconds
  }

  async remove(fileId: string): Promise<void> {
    await fetch(`${this.#server.base}/api/v1/files/delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ file_ids: [fileId] }),
    })
  }
}

/** Three ways of transferring the same file, each alternating with the plain copy, and the memory of the server. */
async function ordinary(server: ServerProcess, folder: string): Promise<Row[]> {
  const before = await residentBytes(server.pid)
  const path = join(folder, 'random.bin')
  const sample = { path, ...(await writeRandomFile(path, size)) }
  const client = new FileClient(server, sample)
  const copy = () =>
    runElsewhere<CopyJob, number>('stream-copy.ts', { from: path, to: join(folder, 'copy.bin') })
  // Stored only for the downloads: an upload of content that exists would also pay for removing its own copy.
  let fileId = ''
  const ways = {
    Upload: () => client.upload('upload'),
    'Multipart upload': () => client.upload('upload as multipart'),
    Download: () => client.download(fileId),
  }
  const rows: Row[] = []
  for (const [label, act] of Object.entries(ways)) {
    if (label === 'Download') fileId = await client.store()
    let pair: Pair | undefined
    const peak = await peakBytes(server.pid, async () => {
      pair = await sideBySide(
        rounds,
        async () => 1 / (await act()),
        async () => 1 / (await copy()),
      )
    })
    const { ours, limit, ratio } = pair!
    const growth = peak - before
    const isInformative = label === 'Multipart upload'
    rows.push({
      label: `${label} of ${size} MiB, against a stream copy with checksum and fsync`,
      ours: megabytesPerSecond(size << 20, 1 / ours),
      limit: megabytesPerSecond(size << 20, 1 / limit),
      ...(isInformative ? { ratio } : atLeast(ratio, 0.6)),
    })
    rows.push({
      label: '  memory that took',
      ours: megabytes(growth),
      ...(!isInformative && { target: `< ${megabytes(maxGrowth)}`, met: growth < maxGrowth }),
    })
  }
  await client.remove(fileId)
  await unlink(path)
  return rows
}

async function huge(server: ServerProcess, folder: string): Promise<Row> {
  const path = join(folder, 'huge.bin')
  const client = new FileClient(server, { path, ...(await writeRandomFile(path, hugeSize)) })
  const before = await residentBytes(server.pid)
  const peak = await peakBytes(server.pid, async () => {
    const fileId = await client.store()
    await unlink(path)
    await client.download(fileId)
    await client.remove(fileId)
  })
  return { label: 'Upload and download of 1 GiB: memory that took', ours: megabytes(peak - before) }
}

const settings = { MAX_FILE_BYTES: String(2 ** 31) }

/** Each part has a new server, whose memory has not grown yet. */
export const run = (): Promise<Row[]> =>
  withWorkFolder(async folder => [
    ...(await withServer(join(folder, 'ordinary'), server => ordinary(server, folder), settings)),
    await withServer(join(folder, 'huge'), server => huge(server, folder), settings),
  ])
