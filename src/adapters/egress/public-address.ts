import { BlockList, isIPv4, isIPv6 } from 'node:net'

const list = (family: 'ipv4' | 'ipv6', ranges: string[]): BlockList => {
  const blocked = new BlockList()
  for (const range of ranges) {
    const [address, prefix] = range.split('/') as [string, string]
    blocked.addSubnet(address, Number(prefix), family)
  }
  return blocked
}

const reservedIpv4 = list('ipv4', [
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
  // Looks public, but is the host's own control service inside Azure.
  '168.63.129.16/32',
])

/** Everything else of IPv6 is private, local, multicast or not given out. */
const globalIpv6 = list('ipv6', ['2000::/3'])

const reservedIpv6 = list('ipv6', [
  // Teredo, ORCHID and other protocols' own.
  '2001::/23',
  '2001:db8::/32',
  '3ffe::/16',
  '3fff::/20',
])

/** The eight groups of an IPv6 address in whatever spelling. */
function groupsOf(address: string): number[] {
  // The URL parser writes every address in one way: hexadecimal groups, the longest run of zeros left out.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map(part => (part ? part.split(':') : []))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16))
}

const dotted = (high = 0, low = 0): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`

/** The IPv4 address that packets to this IPv6 address end up at, by any of the ways of transition. */
function embeddedIpv4(groups: number[]): string | undefined {
  const [first, second, third, , fifth, sixth, seventh, eighth] = groups
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every(group => group === 0)
  const mapped = zeros(0, 5) && sixth === 0xffff
  const compatible = zeros(0, 6)
  const translated = zeros(0, 4) && fifth === 0xffff && sixth === 0
  const nat64 = first === 0x64 && second === 0xff9b && zeros(2, 6)
  if (mapped || compatible || translated || nat64) return dotted(seventh, eighth)
  if (first === 0x2002) return dotted(second, third)
  return undefined
}

/** ISATAP: an address of any network whose last half tunnels to an IPv4 address. */
function tunnelledIpv4(groups: number[]): string | undefined {
  const [, , , , fifth, sixth, seventh, eighth] = groups
  return sixth === 0x5efe && (fifth === 0 || fifth === 0x200) ? dotted(seventh, eighth) : undefined
}

const isPublicIpv4 = (address: string): boolean => !reservedIpv4.check(address, 'ipv4')

const withoutZone = (address: string): string => address.split('%', 1)[0]!

/** An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) becomes what it is. */
export function plainAddress(address: string): string {
  const plain = withoutZone(address)
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every(group => group === 0)
  return mapped ? dotted(groups[6], groups[7]) : plain
}

/** Whether an address belongs to the public internet. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address)
  if (isIPv4(plain)) return isPublicIpv4(plain)
  if (!isIPv6(plain)) return false
  const groups = groupsOf(plain)
  const embedded = embeddedIpv4(groups)
  if (embedded !== undefined) return isPublicIpv4(embedded)
  const tunnelled = tunnelledIpv4(groups)
  if (tunnelled !== undefined && !isPublicIpv4(tunnelled)) return false
  return globalIpv6.check(plain, 'ipv6') && !reservedIpv6.check(plain, 'ipv6')
}
