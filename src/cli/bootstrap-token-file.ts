import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const pathIn = (dataDir: string): string => join(dataDir, 'bootstrap-token')

export async function readBootstrapToken(dataDir: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(pathIn(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces the one that is there: after a restore its token is unknown. */
export async function writeBootstrapToken(dataDir: string, token: Uint8Array): Promise<void> {
  const partial = `${pathIn(dataDir)}.partial`
  const file = await open(partial, 'w', 0o600)
  try {
    await file.writeFile(token)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, pathIn(dataDir))
}
