import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ModelJob {
  /** Pieces of every answer, unless the question asks for another number: `in 3 pieces`. */
  pieces: number
  /** Time between two pieces. */
  pieceMilliseconds: number
}

const event = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_794_731_400,
    model: 'bench',
    choices: [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const last = `${event({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`

/** A piece contains the time when it was written, by a clock that all processes of a machine share. */
const piece = (): string => event({ delta: { content: `@${process.hrtime.bigint()};` } })

async function answer(response: ServerResponse, { pieces, pieceMilliseconds }: ModelJob): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event({ delta: { role: 'assistant', content: '' } }))
  if (pieceMilliseconds === 0)
    return void response.end(`${Array.from({ length: pieces }, piece).join('')}${last}`)
  for (let written = 0; written < pieces && !response.destroyed; written++) {
    await sleep(pieceMilliseconds)
    response.write(piece())
  }
  response.end(last)
}

/** A provider of a language model that always answers the same way. */
process.once('message', (job: ModelJob) => {
  const server = createServer((request, response) => {
    // A connection that the client breaks off is not an error of the provider.
    response.on('error', () => {})
    let body = ''
    request
      .setEncoding('utf8')
      .on('data', chunk => {
        body += chunk
      })
      .on('end', () => {
        const asked = /in (\d+) pieces/.exec(body)?.[1]
        void answer(response, asked === undefined ? job : { ...job, pieces: Number(asked) })
      })
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
})
