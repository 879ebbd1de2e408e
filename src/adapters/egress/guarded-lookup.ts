import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { EgressFailure } from './egress-failure.ts'

export interface ResolvedAddress {
  address: string
  family: number
}

export type Resolve = (name: string) => Promise<ResolvedAddress[]>

export const systemResolve: Resolve = name => lookup(name, { all: true })

/**
 * What the socket itself asks for addresses. It resolves once and hands over exactly what was judged, so a name that
 * answers differently the second time gains nothing. One address that is not permitted condemns the name: whoever
 * mixes public and private ones is trying something.
 */
export function guardedLookup(
  resolve: Resolve,
  permits: (address: string) => boolean,
  refusal: () => EgressFailure,
): LookupFunction {
  const judged = async (name: string): Promise<ResolvedAddress[]> => {
    const found = await resolve(name)
    if (found.length === 0) throw new EgressFailure('unreachable', `The name ${name} has no address`)
    if (!found.every(({ address }) => permits(address))) throw refusal()
    return found
  }
  return (name, options, callback) => {
    judged(name).then(
      found => {
        const [first] = found as [ResolvedAddress]
        if (options.all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}
