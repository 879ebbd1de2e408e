import { BlockList, isIP, isIPv6 } from 'node:net'

export const withoutZone = (address: string): string => address.split('%', 1)[0]!

/** The private destinations that the operator permits. */
export interface AllowList {
  /** Whether the host name of a URL is permitted. */
  hasHost(host: string, port: number): boolean
  /** Whether a resolved address is permitted. */
  hasAddress(address: string): boolean
  readonly isByNameOnly: boolean
}

interface NameRule {
  name: string
  matchesSubdomains: boolean
  port: number | undefined
}

const refuse = (entry: string): never => {
  throw new Error(
    `'${entry}' cannot be allowed: give a host (intranet.example), a host and port (10.0.0.5:8080), ` +
      'all hosts below a name (*.intranet.example) or a range of addresses (10.0.0.0/8)',
  )
}

/** The host name without brackets and final dot. Entries and URLs are compared in this form. */
export const plainHost = (hostname: string): string => {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return host.endsWith('.') ? host.slice(0, -1) : host
}

function addRange(ranges: BlockList, entry: string): void {
  const [address = '', prefix = ''] = entry.split('/')
  const bits = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) refuse(entry)
  ranges.addSubnet(address, Number(prefix), bits === 32 ? 'ipv4' : 'ipv6')
}

function nameRule(entry: string): NameRule {
  const [, star, host = '', port] = /^(\*\.)?(\[[^\]]+\]|[^:[\]/?#@*\s]+)(?::(\d{1,5}))?$/.exec(entry) ?? []
  if (!host || !URL.canParse(`http://${host}`) || Number(port ?? 1) > 65_535) refuse(entry)
  return {
    name: plainHost(new URL(`http://${host}`).hostname),
    matchesSubdomains: star !== undefined,
    port: port === undefined ? undefined : Number(port),
  }
}

/** Throws an error that explains the first invalid entry. */
export function parseAllowList(entries: string[]): AllowList {
  const ranges = new BlockList()
  const rules: NameRule[] = []
  for (const entry of entries.map(each => each.trim()).filter(each => each !== '')) {
    if (entry.includes('/')) addRange(ranges, entry)
    else rules.push(nameRule(isIPv6(entry) ? `[${entry}]` : entry))
  }
  return {
    hasHost: (host, port) =>
      rules.some(
        rule =>
          (rule.port === undefined || rule.port === port) &&
          (rule.matchesSubdomains ? host.endsWith(`.${rule.name}`) : host === rule.name),
      ),
    hasAddress: address => {
      const plain = withoutZone(address)
      const family = isIP(plain)
      // A range of IPv4 also matches its addresses written as IPv6 (`::ffff:10.0.0.1`).
      return family !== 0 && ranges.check(plain, family === 4 ? 'ipv4' : 'ipv6')
    },
    isByNameOnly: ranges.rules.length === 0,
  }
}
