import { createHash, randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Fills a new file with incompressible bytes. */
export async function writeRandomFile(path: string, megabytes: number): Promise<{ sha256: string }> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx')
  for (let written = 0; written < megabytes; written++) {
    const chunk = randomBytes(1 << 20)
    hash.update(chunk)
    await file.write(chunk)
  }
  await file.sync()
  await file.close()
  return { sha256: hash.digest('hex') }
}
