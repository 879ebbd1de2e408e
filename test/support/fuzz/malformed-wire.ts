import { RawConnection } from '../raw-connection.ts'
import type { Interface } from './interface.ts'
import { failureProblems, isPage } from './invariants.ts'
import type { FuzzRequest } from './plan-request.ts'
import type { Random } from './random.ts'

/** The path of a broken request is unknown; the response shows its family. */
const pathOf = (envelope: object = {}): string => {
  if ('jsonrpc' in envelope) return '/mcp'
  if ('error' in envelope) return '/v1/'
  return 'msg' in envelope ? '/api/v1/conversation/' : ''
}

/** Long enough for a response; most broken requests leave the server waiting for more. */
const quietMilliseconds = 300

const unusualLines = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Host: other',
  'Expect: 100-continue',
  'Connection: upgrade\r\nUpgrade: websocket',
  ' folded: line',
  'no colon',
  ': no name',
  'Bad Name: x',
  'X: \0',
  `X: ${'y'.repeat(20_000)}`,
] as const

/** The request as bytes with an error below the level of HTTP libraries. */
export function malformedWire(
  request: FuzzRequest,
  authorization: string | undefined,
  random: Random,
): Buffer {
  const headers = { Host: 'x', ...request.headers, ...(authorization && { authorization }) }
  const lines = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(request.body ? [`Content-Length: ${request.body.length}`] : []),
  ]
  const mutation = random.weighted({ line: 4, bytes: 3, cut: 2, version: 1, ending: 1, repeat: 1 })
  if (mutation === 'line') lines.splice(1 + random.below(lines.length), 0, random.pick(unusualLines))
  if (mutation === 'version')
    lines[0] = lines[0]!.replace(
      'HTTP/1.1',
      random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP/1.1 x', '']),
    )
  const newline = mutation === 'ending' ? random.pick(['\n', '\r', '\r\r\n']) : '\r\n'
  const head = Buffer.from(`${lines.join(newline)}${newline}${newline}`, 'latin1')
  const wire = Buffer.concat([head, request.body ?? Buffer.alloc(0)])
  if (mutation === 'bytes')
    for (let count = 1 + random.below(4); count > 0; count--)
      wire[random.below(head.length)] = random.below(256)
  if (mutation === 'cut') return wire.subarray(0, random.below(wire.length))
  return mutation === 'repeat' ? Buffer.concat([wire, random.bytes(50), wire]) : wire
}

/** Any response must be complete and in its envelope. */
export async function tryWire(base: string, wire: Buffer, api: Interface): Promise<string[]> {
  const problems: string[] = []
  const connection = await RawConnection.open(base)
  try {
    void connection.send(wire)
    for (;;) {
      const answer = await connection
        .answer({ waitMilliseconds: quietMilliseconds, toHead: wire.subarray(0, 5).toString() === 'HEAD ' })
        .catch(() => undefined)
      if (!answer) break
      if (answer.status === 100) continue
      if (answer.headers['x-traceid'] === undefined) problems.push('no X-TraceId')
      if (answer.status >= 400 && answer.body.length > 0 && !isPage(answer.status, answer.headers))
        problems.push(...failureProblems(answer.json ?? {}, answer.status, pathOf(answer.json), api))
      if (answer.status >= 500) problems.push(`status ${answer.status}`)
    }
    connection.end()
    if (!(await connection.ends())) problems.push('the connection stays open after our end')
  } finally {
    connection.close()
  }
  return problems.map(problem => `${problem}; sent in base64: ${wire.subarray(0, 4000).toString('base64')}`)
}
