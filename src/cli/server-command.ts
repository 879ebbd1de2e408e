import type { Arguments, Command, Outcome } from './command.ts'
import { ServerClient, ServerRefusal, serverAddress } from './server-client.ts'
import { serverToken } from './server-token.ts'

const details = `Works over HTTP with a running server, here or elsewhere: --server is its address; the default comes from HOST and
PORT. The token comes from --token-file, from BOOTSTRAP_TOKEN or, for a server on this machine, from
DATA_DIR/bootstrap-token.`

/** Enough for a moment of load; a server that does not run is reported within two seconds. */
const maxAttempts = 3

interface ServerCommand extends Omit<Command, 'run'> {
  work(client: ServerClient, given: Arguments, signal: AbortSignal): Promise<Outcome>
}

/** A command that calls the API of a running server. */
export const serverCommand = ({ work, ...command }: ServerCommand): Command => ({
  ...command,
  usage: `${command.usage} [--server URL] [--token-file FILE]`.trim(),
  details: command.details === undefined ? details : `${command.details}\n\n${details}`,
  run: async (given, config, signal) => {
    const server = serverAddress(given.options['server'], config)
    const token = await serverToken(given.options['token-file'], server, config)
    const client = new ServerClient(server, token, signal, maxAttempts)
    try {
      return await work(client, given, signal)
    } catch (error) {
      throw explained(error)
    } finally {
      client.close()
    }
  },
})

const tokenReasons = new Set(['token_missing', 'token_invalid', 'forbidden'])
const maxFindings = 20

/** What the server said, with what to do about it. */
export function explained(error: unknown): unknown {
  if (!(error instanceof ServerRefusal)) return error
  if (tokenReasons.has(error.reason))
    return new Error(`${error.message}. Pass a file with another token as --token-file.`)
  if (error.errors.length === 0) return error
  const shown = error.errors.slice(0, maxFindings).map(({ path, message }) => `  ${path}: ${message}`)
  return new Error([error.message, ...shown].join('\n'))
}
