import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { UsageError } from './usage-error.ts'

const anyAddress = new Set(['0.0.0.0', '::', ''])

/** Where the server with these settings is reached from this machine. */
function ownAddress({ host, port }: Config): string {
  if (port === 0) throw new UsageError('--server: is required where PORT is 0.')
  const name = anyAddress.has(host) ? '127.0.0.1' : host
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** Without the slash at its end. */
export function serverAddress(given: string | undefined, config: Config): string {
  const text = given ?? ownAddress(config)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError('--server: must be an address such as http://127.0.0.1:8080.')
  return url.href.replace(/\/+$/, '')
}

/** Whether it is a server on this machine, or the one that the settings describe. */
export function isOwnServer(server: string, config: Config): boolean {
  const { hostname } = new URL(server)
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname) || hostname === config.host
  )
}
