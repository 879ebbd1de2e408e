import { modelOperations as operations } from '../../contract/model-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { type Clock, isoTime } from '../../kernel/clock.ts'
import type { ConfiguredModels, EnvironmentModel } from '../../models/configured-models.ts'
import type { ModelSettingsService } from '../../models/model-settings-service.ts'
import type { ModelSettings } from '../../models/model-settings-store.ts'
import { testModel } from '../../models/test-model.ts'
import { type Route, route } from '../route.ts'

const environmentId = 'environment'

/** Users of a workspace need not be operators of the server, so only the name is shown. */
const environmentOnWire = ({ name, model }: EnvironmentModel, isDefault: boolean) => ({
  id: environmentId,
  name,
  source: 'environment',
  base_url: null,
  model: model.name,
  has_key: null,
  key_end: '',
  problem: null,
  is_default: isDefault,
  max_tokens: null,
  temperature: null,
  created_at: null,
  updated_at: null,
})

function trimmed(name: string): string
function trimmed(name: string | undefined): string | undefined
function trimmed(name: string | undefined): string | undefined {
  if (name?.trim() === '') throw invalidField('/name', 'must not be blank')
  return name?.trim()
}

export function modelRoutes(settings: ModelSettingsService, models: ConfiguredModels, clock: Clock): Route[] {
  const onWire = (workspaceId: string, model: ModelSettings) => {
    const key = settings.keyState(workspaceId, model)
    return {
      id: model.id,
      name: model.name,
      source: 'workspace',
      base_url: model.baseUrl,
      model: model.model,
      has_key: key.hasKey,
      key_end: key.end,
      problem: key.problem === '' ? null : key.problem,
      is_default: model.isDefault,
      max_tokens: model.maxTokens ?? null,
      temperature: model.temperature ?? null,
      created_at: isoTime(model.createdAt),
      updated_at: isoTime(model.updatedAt),
    }
  }

  return [
    route(operations.create, async ({ token, body }) => {
      const created = await settings.create(token.workspaceId, {
        name: trimmed(body.name),
        baseUrl: body.base_url,
        model: body.model,
        apiKey: body.api_key,
        // The model of the server settings stays the default until a workspace chooses another.
        isDefault: body.is_default ?? (models.environment ? false : undefined),
        maxTokens: body.max_tokens,
        temperature: body.temperature,
      })
      return onWire(token.workspaceId, created)
    }),

    route(operations.update, async ({ token, body }) => {
      const updated = await settings.update(token.workspaceId, body.id, {
        name: trimmed(body.name),
        baseUrl: body.base_url,
        model: body.model,
        apiKey: body.api_key,
        isDefault: body.is_default,
        maxTokens: body.max_tokens,
        temperature: body.temperature,
      })
      return onWire(token.workspaceId, updated)
    }),

    route(operations.list, async ({ token, body }) => {
      const request = pageRequest(body)
      const listed = (await settings.store.list(token.workspaceId)).map(model =>
        onWire(token.workspaceId, model),
      )
      const hasDefault = listed.some(model => model.is_default)
      const all = models.environment
        ? [...listed, environmentOnWire(models.environment, !hasDefault)]
        : listed
      const first = (request.page - 1) * request.pageSize
      return pageAnswer(request, {
        total: all.length,
        items: all.slice(first, first + request.pageSize) as unknown[],
      })
    }),

    route(operations.delete, async ({ token, body }) => {
      await settings.remove(token.workspaceId, body.id)
      return {}
    }),

    route(operations.test, async ({ token, body }) => {
      const { environment } = models
      if (body.id === environmentId && !environment)
        throw new AppError(
          'not_found',
          'The server settings have no model; set MODEL_BASE_URL and MODEL_NAME',
        )
      const found = body.id === environmentId ? undefined : await settings.get(token.workspaceId, body.id)
      const result = await testModel(
        async () => (found ? models.connect(token.workspaceId, found) : environment!.model),
        clock,
      )
      return { ok: result.ok, latency_ms: Math.round(result.latencyMilliseconds), message: result.message }
    }),
  ]
}
