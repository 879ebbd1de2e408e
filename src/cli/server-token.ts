import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretForm } from '../app/stored-secret.ts'
import type { Config } from '../config/config.ts'
import { unlessAbsent } from '../kernel/durable-files.ts'
import { isOwnServer } from './server-client.ts'

export const bootstrapTokenPath = (dataDir: string): string => join(dataDir, 'bootstrap-token')

export const readBootstrapToken = (dataDir: string): Promise<Buffer | undefined> =>
  unlessAbsent(readFile(bootstrapTokenPath(dataDir)))

/** Replaces the existing one: after a restore its token is unknown. */
export async function writeBootstrapToken(dataDir: string, token: Uint8Array): Promise<void> {
  const partial = `${bootstrapTokenPath(dataDir)}.partial`
  await writeFile(partial, token, { mode: 0o600, flush: true })
  await rename(partial, bootstrapTokenPath(dataDir))
}

function checked(content: Buffer, path: string): string {
  const token = content.toString().trim()
  if (!secretForm.test(token))
    throw new Error(`${path} does not contain a token: one line of 16 to 512 characters`)
  return token
}

/** A token is never an argument: every user who lists the processes can see those. */
export async function serverToken(tokenFile: string | undefined, server: string, config: Config) {
  if (tokenFile !== undefined) {
    const content = await readFile(tokenFile).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The token file ${tokenFile} cannot be read (${error.code})`)
    })
    return checked(content, tokenFile)
  }
  if (config.bootstrapToken !== undefined) return config.bootstrapToken
  if (!isOwnServer(server, config))
    // The token in this folder belongs to the server of this folder; another server must not see it.
    throw new Error(`Pass a file with a token of ${server} as --token-file, or set BOOTSTRAP_TOKEN`)
  const path = bootstrapTokenPath(config.dataDir)
  const found = await readBootstrapToken(config.dataDir)
  if (found) return checked(found, path)
  throw new Error(
    `There is no token: ${path} does not exist. Pass a file with a token as --token-file, or set BOOTSTRAP_TOKEN`,
  )
}
