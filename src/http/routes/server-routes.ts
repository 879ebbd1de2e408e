import type { ModelType } from '../../contract/model-records.ts'
import { basePath } from '../../contract/operation.ts'
import { serverOperations as operations } from '../../contract/server-operations.ts'
import type { ServerFeature, ServerRecord } from '../../contract/server-record.ts'
import { AppError } from '../../kernel/app-error.ts'
import { inSlices } from '../../kernel/slices.ts'
import type { ConfiguredModels } from '../../models/configured-models.ts'
import type { ModelSettingsService } from '../../models/model-settings-service.ts'
import { Answer, htmlAnswer, jsonHeaders, jsonType } from '../answer.ts'
import { openapiDocument } from '../openapi.ts'
import { docsPage } from '../pages/docs-page.ts'
import { onFirstUse, type Route, route } from '../route.ts'

export interface Readiness {
  stopping: boolean
  checks: Record<string, () => Promise<void>>
  /** The name of a check whose failure leaves most requests working, because it concerns a part that all replicas share. */
  optional?: string | undefined
}

const json = (status: number, value: unknown): Answer =>
  new Answer(status, jsonHeaders, JSON.stringify(value))

type PartState = 'ok' | 'full' | 'failing'

const stateOf = (result: PromiseSettledResult<void>): PartState => {
  if (result.status === 'fulfilled') return 'ok'
  return result.reason instanceof AppError && result.reason.reason === 'storage_full' ? 'full' : 'failing'
}

/** The checks write to the disk and need no token, so they run at most once per second. */
function readinessReader({ checks }: Readiness): () => Promise<Record<string, PartState>> {
  let latest: { at: number; parts: Promise<Record<string, PartState>> } | undefined
  const check = async (): Promise<Record<string, PartState>> => {
    const names = Object.keys(checks)
    const results = await Promise.allSettled(names.map(name => checks[name]!()))
    return Object.fromEntries(names.map((name, at) => [name, stateOf(results[at]!)]))
  }
  return () => {
    const now = performance.now()
    if (!latest || now - latest.at > 1000) latest = { at: now, parts: check() }
    return latest.parts
  }
}

/**
 * A failure that affects all replicas but few requests must not take all of them out of rotation: with a full disk the
 * server still reads and deletes, and without a shared file store it lacks only the contents of files.
 */
function readyAnswer({ stopping, optional }: Readiness, parts: Record<string, PartState>): Answer {
  const failing = Object.keys(parts).filter(name => parts[name] === 'failing' && name !== optional)
  const ready = !stopping && failing.length === 0
  return json(ready ? 200 : 503, { status: ready ? 'ready' : stopping ? 'stopping' : 'failing', ...parts })
}

export function serverRoutes(metricsText: () => Promise<string>, state: Readiness): Route[] {
  // Most servers are never asked for them, and they would take a tenth of startup time.
  const openapi = onFirstUse(async () => openapiDocument())
  const openapiText = onFirstUse(async () => JSON.stringify(await openapi()))
  const docs = onFirstUse(async () => inSlices(docsPage(await openapi())))
  const readParts = readinessReader(state)
  return [
    route(operations.docs, async () => htmlAnswer(await docs())),
    route(
      operations.openapi,
      async () =>
        new Answer(200, { 'content-type': jsonType, 'cache-control': 'no-cache' }, await openapiText()),
    ),
    route(operations.healthz, async () => json(200, { status: 'alive', base_path: basePath })),
    route(operations.readyz, async () => readyAnswer(state, await readParts())),
    route(operations.metrics, async ({ token }) => {
      // Metrics cover the whole server, so a token of another workspace may not read them.
      if (token.workspaceId !== 'default')
        throw new AppError('forbidden', 'Only tokens of the workspace `default` may read metrics')
      return new Answer(
        200,
        { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
        await metricsText(),
      )
    }),
  ]
}

/** The part of the server record that is the same for all workspaces. The version is read on first use. */
export interface ServerInfo
  extends Omit<ServerRecord, 'version' | 'features' | 'damaged_files' | 'replicas'> {
  version(): Promise<string>
  damagedFiles(): Promise<number>
  replicas(): Promise<ServerRecord['replicas']>
  features: Omit<ServerRecord['features'], 'model'>
}

const modelSettings = ['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY']
/** Features that depend on a model of this type. */
const otherTypes = ['embedding', 'rerank', 'transcription'] as const

export function serverInfoRoutes(
  info: ServerInfo,
  models: Pick<ConfiguredModels, 'environment'>,
  settings: Pick<ModelSettingsService, 'store' | 'keyState'>,
): Route[] {
  const version = onFirstUse(() => info.version())

  /** The default model of the workspace takes precedence over the server settings, even if its key cannot be decrypted. */
  const featuresOf = async (workspaceId: string): Promise<ServerRecord['features']> => {
    const stored = (await settings.store.list(workspaceId)).filter(({ isDefault }) => isDefault)
    const feature = (type: ModelType, environment: ServerFeature): ServerFeature => {
      const own = stored.find(model => model.type === type)
      if (!own) return environment
      const ready = settings.keyState(workspaceId, own).problem === ''
      return { ...environment, ready, name: own.name }
    }
    const { environment } = models
    const chat = {
      ready: environment !== undefined,
      name: environment?.name ?? null,
      settings: modelSettings,
    }
    return {
      ...info.features,
      model: feature('chat', chat),
      ...Object.fromEntries(otherTypes.map(type => [type, feature(type, info.features[type])])),
    }
  }

  return [
    route(operations.info, async ({ token }): Promise<ServerRecord> => {
      return {
        version: await version(),
        database: info.database,
        files: info.files,
        damaged_files: token.operator ? await info.damagedFiles() : null,
        replicas: token.operator ? await info.replicas() : [],
        features: await featuresOf(token.workspaceId),
        settings: token.operator ? info.settings : [],
      }
    }),
  ]
}
