import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `stall` accepts connections, but nothing passes any more, in either direction. */
type Mode = 'pass' | 'refuse' | 'stall'

const defaultPort = 5432

/** A TCP proxy in this process whose connections can fail in all ways. */
export class TcpProxy {
  readonly #target: { host: string; port: number }
  readonly #server = createServer(client => this.#accept(client))
  readonly #sockets = new Set<Socket>()
  /** Those of half-open connections. */
  readonly #forgotten = new Set<Socket>()
  #mode: Mode = 'pass'
  /** The next connection that has passed this many bytes is reset. */
  #cut: { to: 'target' | 'client'; bytes: number; times: number } | undefined
  cuts = 0
  /** Bytes passed from the target to clients. */
  received = 0

  /** To the host and port of a URL; without a port, to that of PostgreSQL. */
  constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.#target = { host: hostname, port: Number(port) || defaultPort }
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.set('refuse')
    for (const socket of this.#forgotten) socket.destroy()
    this.#server.close()
  }

  /** Existing connections are reset, unless everything stalls or passes. */
  set(mode: Mode): void {
    this.#mode = mode
    for (const socket of this.#sockets)
      if (mode === 'refuse') socket.resetAndDestroy()
      else if (mode === 'stall') socket.pause()
      else socket.resume()
  }

  cutAfter(to: 'target' | 'client', bytes: number, times = 1): void {
    this.#cut = { to, bytes, times }
  }

  /** Forgets the present connections without a word to either side; new ones work. */
  halfOpen(): void {
    for (const socket of this.#sockets) {
      socket.pause()
      this.#forgotten.add(socket)
    }
    this.#sockets.clear()
  }

  /** Connections to the target. */
  get connections(): number {
    return this.#sockets.size / 2
  }

  #accept(client: Socket): void {
    if (this.#mode === 'refuse') return void client.resetAndDestroy()
    const target = connect(this.#target)
    this.#pass(client, target, 'target')
    this.#pass(target, client, 'client')
  }

  #pass(from: Socket, onto: Socket, to: 'target' | 'client'): void {
    let passed = 0
    this.#sockets.add(from)
    from.setNoDelay(true)
    if (this.#mode === 'stall') from.pause()
    from.on('error', () => onto.destroy())
    from.on('close', () => {
      this.#sockets.delete(from)
      this.#forgotten.delete(from)
      onto.destroy()
    })
    from.on('end', () => onto.end())
    onto.on('drain', () => {
      if (this.#mode !== 'stall' && this.#sockets.has(from)) from.resume()
    })
    from.on('data', chunk => {
      passed += chunk.length
      if (to === 'client') this.received += chunk.length
      const cut = this.#cut
      if (cut?.to === to && passed > cut.bytes) {
        this.cuts++
        if (--cut.times === 0) this.#cut = undefined
        from.resetAndDestroy()
        onto.resetAndDestroy()
      } else if (!onto.write(chunk)) from.pause()
    })
  }
}
