import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The bare limit of passing pieces on: node:http that only pipes the response of the provider. */
process.once('message', ({ port }: { port: number }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const proxy = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers, agent }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', error => response.destroy(error))
    incoming.pipe(passed)
  })
  proxy.listen(0, '127.0.0.1', () => process.send!({ port: (proxy.address() as AddressInfo).port }))
})
