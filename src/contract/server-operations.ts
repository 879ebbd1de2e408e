import Type from 'typebox'
import { basePath, type Operation } from './operation.ts'
import { serverRecord } from './server-record.ts'

const common = { family: 'server', method: 'GET', access: 'anyone' } as const

export const serverOperations = {
  home: { ...common, name: 'server.home', path: '/', summary: 'The console', answers: 'text/html' },
  asset: {
    ...common,
    name: 'server.asset',
    path: '/assets/{name}',
    summary: 'A file that the console loads',
    params: Type.Object({ name: Type.String({ description: 'Its name, which changes with its content.' }) }),
    answers: 'application/octet-stream',
  },
  docs: {
    ...common,
    name: 'server.docs',
    path: '/docs',
    summary: 'The readable reference',
    answers: 'text/html',
  },
  openapi: {
    ...common,
    name: 'server.openapi',
    path: '/openapi.json',
    summary: 'The interface as an OpenAPI 3.1 document',
    answers: 'application/json',
  },
  healthz: {
    ...common,
    name: 'server.healthz',
    path: '/healthz',
    summary: 'Whether the process lives',
    answers: 'application/json',
  },
  readyz: {
    ...common,
    name: 'server.readyz',
    path: '/readyz',
    summary: 'Whether it can serve: database and file store answer; 503 otherwise and while stopping',
    answers: 'application/json',
  },
  info: {
    ...common,
    access: 'read',
    name: 'server.info',
    path: `${basePath}/server`,
    summary: 'What the server is, and what it is set up for',
    data: serverRecord,
  },
  metrics: {
    ...common,
    access: 'read',
    name: 'server.metrics',
    path: '/metrics',
    summary: 'Measurements in the Prometheus text format',
    details: 'They tell of the whole server, so the token must be of the workspace `default`.',
    answers: 'text/plain',
  },
} as const satisfies Record<string, Operation>
