import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mintSecret } from '../access/token-secret.ts'
import { syncFolder } from '../kernel/sync-folder.ts'

export interface StoredSecret {
  secret: string
  path: string
  /** Removes the file that this call created, where the secret turned out not to be needed. */
  forget(): Promise<void>
}

const usable = /^[\x21-\x7e]{16,512}$/

/**
 * A secret of the first start, in a file that only the operator can read. The file is written before the secret is
 * used: after a crash the next start uses the same one. The file appears under its name complete or not at all.
 */
export async function storedSecret(dataDir: string, name: string): Promise<StoredSecret> {
  const path = join(dataDir, name)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const found = await read(path)
  if (found !== undefined && usable.test(found)) return { secret: found, path, forget: async () => {} }
  const partial = `${path}.${process.pid}.partial`
  await writeFile(partial, `${mintSecret()}\n`, { mode: 0o600, flush: true })
  // A file without a secret was not written by another starting process: those appear complete.
  const isOurs =
    found === undefined ? await publish(partial, path) : await rename(partial, path).then(() => true)
  await syncFolder(dataDir)
  return {
    secret: (await read(path)) ?? '',
    path,
    forget: async () => {
      if (isOurs) await unlink(path)
    },
  }
}

/** False when another process that starts at the same moment was first; its secret is used. */
async function publish(partial: string, path: string): Promise<boolean> {
  try {
    await link(partial, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(partial)
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
