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
    summary: 'A static file of the console',
    params: Type.Object({ name: Type.String({ description: 'File name with a content hash.' }) }),
    answers: 'application/octet-stream',
  },
  docs: {
    ...common,
    name: 'server.docs',
    path: '/docs',
    summary: 'API reference for humans',
    answers: 'text/html',
  },
  openapi: {
    ...common,
    name: 'server.openapi',
    path: '/openapi.json',
    summary: 'OpenAPI 3.1 document',
    answers: 'application/json',
  },
  healthz: {
    ...common,
    name: 'server.healthz',
    path: '/healthz',
    summary: 'Liveness check',
    answers: 'application/json',
  },
  readyz: {
    ...common,
    name: 'server.readyz',
    path: '/readyz',
    summary: 'Readiness check: 503 if the database or the file store is unavailable, and during shutdown',
    answers: 'application/json',
  },
  info: {
    ...common,
    access: 'read',
    name: 'server.info',
    path: `${basePath}/server`,
    summary: 'Server version, features and settings',
    data: serverRecord,
  },
  metrics: {
    ...common,
    access: 'read',
    name: 'server.metrics',
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    details: 'Metrics cover the whole server, so the token must belong to the workspace `default`.',
    answers: 'text/plain',
  },
} as const satisfies Record<string, Operation>
