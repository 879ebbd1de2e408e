import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { withoutZone } from '../../kernel/allow-list.ts'

const subnets = (family: 'ipv4' | 'ipv6', ranges: string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address, prefix] = range.split('/') as [string, string]
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

const reservedIpv4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Looks public, but is the host's control service inside Azure.
  '168.63.129.16/32',
])

/** Everything else of IPv6 is private, local, multicast or unassigned. */
const globalIpv6 = subnets('ipv6', ['2000::/3'])

const reservedIpv6 = subnets('ipv6', [
  // Teredo, ORCHID and other protocol assignments.
  '2001::/23',
  '2001:db8::/32',
  '3ffe::/16',
  '3fff::/20',
])

/** The eight groups of an IPv6 address in any spelling. */
function groupsOf(address: string): number[] {
  // The URL parser writes every address in one form: hexadecimal groups, the longest run of zeros left out.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map(part => (part ? part.split(':') : []))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16))
}

const dotted = (high = 0, low = 0): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`

/** Mapped, compatible, translated and NAT64 addresses: packets are delivered to the IPv4 address in the last half. */
const endsInIpv4 = subnets('ipv6', ['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'])

/** The IPv4 address that packets to this IPv6 address are delivered to, by any transition mechanism. */
function embeddedIpv4(address: string, groups: number[]): string | undefined {
  if (endsInIpv4.check(address, 'ipv6')) return dotted(groups[6], groups[7])
  return groups[0] === 0x2002 ? dotted(groups[1], groups[2]) : undefined
}

/** ISATAP: an address of any network whose last half tunnels to an IPv4 address. */
function tunnelledIpv4(groups: number[]): string | undefined {
  const [, , , , fifth, sixth, seventh, eighth] = groups
  return sixth === 0x5efe && (fifth === 0 || fifth === 0x200) ? dotted(seventh, eighth) : undefined
}

const isPublicIpv4 = (address: string): boolean => !reservedIpv4.check(address, 'ipv4')

/** Whether an address belongs to the public internet. A string that is not an address does not. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address)
  if (isIPv4(plain)) return isPublicIpv4(plain)
  if (!isIPv6(plain)) return false
  const groups = groupsOf(plain)
  const embedded = embeddedIpv4(plain, groups)
  if (embedded !== undefined) return isPublicIpv4(embedded)
  const tunnelled = tunnelledIpv4(groups)
  if (tunnelled !== undefined && !isPublicIpv4(tunnelled)) return false
  return globalIpv6.check(plain, 'ipv6') && !reservedIpv6.check(plain, 'ipv6')
}
