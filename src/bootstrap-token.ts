import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mintSecret } from './access/token-secret.ts'

/**
 * The token of the first start, kept in a file that only the operator can read. The file is written before
 * the database learns of the token: a crash between the two leaves a token that the next start takes up,
 * and never a server that nobody can enter.
 */
export async function bootstrapToken(dataDir: string): Promise<{ secret: string; path: string }> {
  const path = join(dataDir, 'bootstrap-token')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${mintSecret()}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return { secret: (await readFile(path, 'utf8')).trim(), path }
}
