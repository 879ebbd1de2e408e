import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { readBootstrapToken } from './bootstrap-token-file.ts'
import { isOwnServer } from './server-address.ts'

/** What an Authorization header can carry; anything else is not a token but, say, the wrong file. */
const usable = /^[\x21-\x7e]{16,512}$/

function checked(content: Uint8Array | string, path: string): string {
  const token = String(content).trim()
  if (!usable.test(token)) throw new Error(`${path} does not hold a token: one line of 16 to 512 characters`)
  return token
}

/** A token is never an argument: those are seen by everybody who lists the processes. */
export async function serverToken(
  tokenFile: string | undefined,
  server: string,
  config: Config,
): Promise<string> {
  if (tokenFile !== undefined) {
    const content = await readFile(tokenFile).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`The token file ${tokenFile} cannot be read (${error.code})`)
    })
    return checked(content, tokenFile)
  }
  if (config.bootstrapToken !== undefined) return config.bootstrapToken
  const path = join(config.dataDir, 'bootstrap-token')
  // The token in this folder opens the server of this folder; nobody else's should ever see it.
  const found = isOwnServer(server, config) ? await readBootstrapToken(config.dataDir) : undefined
  if (found) return checked(Buffer.from(found), path)
  throw new Error(
    isOwnServer(server, config)
      ? `There is no token: ${path} does not exist. Name a file that holds one with --token-file, or set BOOTSTRAP_TOKEN`
      : `Name a file that holds a token of ${server} with --token-file, or set BOOTSTRAP_TOKEN`,
  )
}
