import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** Closes all connections and refuses new ones, as a server that is down. */
  cut(): void
  /** Passes nothing on from now on, in either direction, also of new connections. */
  stall(): void
  /** Forgets the present connections without a word to either side; new ones work. */
  halfOpen(): void
  /** Works again. */
  restore(): void
  stop(): Promise<void>
}

/** Passes connections on to a server, as badly as a test wants. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>()
  let state: 'open' | 'cut' | 'stalled' = 'open'
  const server = createServer(near => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect(target.port, target.host)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', bytes => to.write(bytes))
      from.on('error', end)
      from.on('close', end)
    }
    if (state === 'stalled') hold(pair)
  })
  const hold = ([near, far]: [Socket, Socket]): void => {
    near.pause()
    far.pause()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      state = 'cut'
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
    },
    stall: () => {
      state = 'stalled'
      for (const pair of pairs) hold(pair)
    },
    halfOpen: () => {
      for (const pair of pairs) hold(pair)
      pairs.clear()
    },
    restore: () => {
      state = 'open'
      for (const [near, far] of pairs) {
        near.resume()
        far.resume()
      }
    },
    stop: async () => {
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
    },
  }
}
