import { basePath } from '../../contract/operation.ts'
import { serverOperations as operations } from '../../contract/server-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import { Answer, jsonType } from '../answer.ts'
import { type Route, route } from '../call.ts'
import { docsPage } from '../docs-page.ts'
import { htmlAnswer } from '../html-answer.ts'
import type { Metrics } from '../metrics.ts'
import { openapiDocument } from '../openapi.ts'

/** What must answer before requests are worth sending here. */
export interface Readiness {
  stopping: boolean
  checks: Record<string, () => Promise<void>>
}

const json = (status: number, value: unknown): Answer =>
  new Answer(status, { 'content-type': jsonType, 'cache-control': 'no-store' }, JSON.stringify(value))

/** The checks write to the disk, and anyone may ask: so they run once a second at the most. */
function readinessReader({ checks }: Readiness): () => Promise<Record<string, 'ok' | 'failing'>> {
  let latest: { at: number; parts: Promise<Record<string, 'ok' | 'failing'>> } | undefined
  const look = async (): Promise<Record<string, 'ok' | 'failing'>> => {
    const names = Object.keys(checks)
    const results = await Promise.allSettled(names.map(name => checks[name]!()))
    return Object.fromEntries(
      names.map((name, at) => [name, results[at]!.status === 'fulfilled' ? 'ok' : 'failing']),
    )
  }
  return () => {
    const now = performance.now()
    if (!latest || now - latest.at > 1000) latest = { at: now, parts: look() }
    return latest.parts
  }
}

function readyAnswer(stopping: boolean, parts: Record<string, 'ok' | 'failing'>): Answer {
  const ready = !stopping && Object.values(parts).every(part => part === 'ok')
  return json(ready ? 200 : 503, { status: ready ? 'ready' : stopping ? 'stopping' : 'failing', ...parts })
}

export function serverRoutes(metrics: Metrics, state: Readiness): Route[] {
  const openapi = openapiDocument()
  const openapiText = JSON.stringify(openapi)
  const docs = docsPage(openapi)
  const readParts = readinessReader(state)
  return [
    route(operations.docs, async () => htmlAnswer(docs)),
    route(
      operations.openapi,
      async () => new Answer(200, { 'content-type': jsonType, 'cache-control': 'no-cache' }, openapiText),
    ),
    route(operations.healthz, async () => json(200, { status: 'alive', base_path: basePath })),
    route(operations.readyz, async () => readyAnswer(state.stopping, await readParts())),
    route(operations.metrics, async ({ token }) => {
      // Measurements are of the whole server, so a workspace's own token does not open them.
      if (token.workspaceId !== 'default')
        throw new AppError('forbidden', 'Only tokens of the default workspace may read measurements')
      return new Answer(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, metrics.print())
    }),
  ]
}
