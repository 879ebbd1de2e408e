import { readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mintSecret } from '../access/token-secret.ts'
import { makeFolder, publishOnce, syncFolder, unlessAbsent } from '../kernel/durable-files.ts'

export interface StoredSecret {
  secret: string
  path: string
  /** Removes the file that this call created, where the secret turned out not to be needed. */
  forget(): Promise<void>
}

/** What an Authorization header can carry. */
export const secretForm = /^[\x21-\x7e]{16,512}$/

/** A secret of the first start, in a file that is complete before the secret is used: the next start uses the same one. */
export async function storedSecret(dataDir: string, name: string): Promise<StoredSecret> {
  const path = join(dataDir, name)
  await makeFolder(dataDir)
  const found = await read(path)
  if (found !== undefined && secretForm.test(found)) return { secret: found, path, forget: async () => {} }
  const partial = `${path}.${process.pid}.partial`
  await writeFile(partial, `${mintSecret()}\n`, { mode: 0o600, flush: true })
  // If several processes start at once, the secret of the first one is used. A file without a valid secret is not theirs,
  // because they write complete files.
  const isOurs =
    found === undefined ? await publishOnce(partial, path) : await rename(partial, path).then(() => true)
  await syncFolder(dataDir)
  return {
    secret: (await read(path)) ?? '',
    path,
    forget: async () => {
      if (isOurs) await unlink(path)
    },
  }
}

const read = async (path: string): Promise<string | undefined> =>
  (await unlessAbsent(readFile(path, 'utf8')))?.trim()
