import { string } from './fields.ts'
import { basePath, defineOperations } from './operation.ts'
import { Type } from './schema.ts'
import { serverRecord } from './server-record.ts'

const page = { method: 'GET', access: 'anyone' } as const

export const serverOperations = defineOperations('server', {
  home: { ...page, path: '/', summary: 'The console', answers: 'text/html' },
  asset: {
    ...page,
    path: '/assets/{name}',
    summary: 'A static file of the console',
    params: Type.Object({ name: string('File name with a content hash.') }),
    answers: 'application/octet-stream',
  },
  chat: {
    ...page,
    path: '/chat/{agent_id}',
    summary: 'The chat page of a public agent, for its visitors',
    details:
      'With `?lang=en|zh` and `?theme=light|dark`. Only pages of the allowed origins of the agent may show it in a frame.',
    params: Type.Object({ agent_id: string('Agent id.', 'agent_Zk3xV0m2q1c5b7n9d1f3gA') }),
    answers: 'text/html',
  },
  embed: {
    ...page,
    path: '/embed.js',
    summary: 'A script for websites that adds a chat bubble',
    details: 'The script element that loads it names the agent in its attribute `data-agent`.',
    answers: 'text/javascript',
  },
  docs: { ...page, path: '/docs', summary: 'API reference for people', answers: 'text/html' },
  openapi: { ...page, path: '/openapi.json', summary: 'OpenAPI 3.1 document', answers: 'application/json' },
  healthz: { ...page, path: '/healthz', summary: 'Liveness check', answers: 'application/json' },
  readyz: {
    ...page,
    path: '/readyz',
    summary:
      'Readiness check: 503 if the database or the disk of the files is unavailable, and during shutdown',
    answers: 'application/json',
  },
  info: {
    method: 'GET',
    access: 'read',
    path: `${basePath}/server`,
    summary: 'Server version, features and settings',
    data: serverRecord,
  },
  metrics: {
    method: 'GET',
    access: 'read',
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    details: 'Metrics cover the whole server, so the token must belong to the workspace `default`.',
    answers: 'text/plain',
  },
})
