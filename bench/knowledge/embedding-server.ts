import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textVector } from './text-vector.ts'

/** An embeddings endpoint that returns the same vector at once. */
process.once('message', () => {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
    // Rounded to the digits of a 32-bit number.
    const data = input.map(
      (text, index) =>
        `{"index":${index},"embedding":[${Array.from(textVector(text), shortened).join(',')}]}`,
    )
    const body = `{"object":"list","data":[${data.join(',')}]}`
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
})

const shortened = (value: number): number => Math.round(value * 1e7) / 1e7
