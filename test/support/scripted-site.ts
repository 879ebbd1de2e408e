import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ScriptedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  /** No answer at all. */
  hangs?: true
}

type Script =
  | ScriptedAnswer
  | string
  | ((headers: IncomingHttpHeaders, count: number) => ScriptedAnswer | string)

export interface ScriptedSite {
  origin: string
  /** Sets what a path answers; a text is a page. */
  set(path: string, script: Script): void
  /** How often a path was requested. */
  count(path: string): number
  /** The most requests at the same time. */
  peak(): number
  close(): Promise<void>
}

/** A web site whose pages a test decides about. */
export async function startScriptedSite(): Promise<ScriptedSite> {
  const scripts = new Map<string, Script>()
  const counts = new Map<string, number>()
  let active = 0
  let peak = 0
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    const script = scripts.get(path)
    const answer = typeof script === 'function' ? script(request.headers, count) : script
    const {
      status = 200,
      headers = {},
      body = '',
      hangs,
    } = answer === undefined
      ? ({ status: 404 } as ScriptedAnswer)
      : typeof answer === 'string'
        ? { body: answer }
        : answer
    active += 1
    peak = Math.max(peak, active)
    response.on('close', () => {
      active -= 1
    })
    if (hangs) return
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    set: (path, script) => void scripts.set(path, script),
    count: path => counts.get(path) ?? 0,
    peak: () => peak,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
