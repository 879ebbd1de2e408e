import { mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { mintSecret } from './access/token-secret.ts'

export interface BootstrapToken {
  secret: string
  path: string
  /** Takes back a file that this call made, where the token turned out not to be needed. */
  forget(): Promise<void>
}

/**
 * The token of the first start, kept in a file that only the operator can read. The file is written before
 * the database learns of the token: a crash between the two leaves a token that the next start takes up,
 * and never a server that nobody can enter.
 */
export async function bootstrapToken(dataDir: string): Promise<BootstrapToken> {
  const path = join(dataDir, 'bootstrap-token')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const isNew = await write(path)
  return {
    secret: (await readFile(path, 'utf8')).trim(),
    path,
    forget: async () => {
      if (isNew) await unlink(path)
    },
  }
}

/** False when the file is there already. */
async function write(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${mintSecret()}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
