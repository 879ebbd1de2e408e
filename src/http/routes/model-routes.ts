import { modelRecord, modelOperations as operations } from '../../contract/model-operations.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ConfiguredModels, EnvironmentModel } from '../../models/configured-models.ts'
import type { ModelSettingsService } from '../../models/model-settings-service.ts'
import type { ModelSettings } from '../../models/model-settings-store.ts'
import { testModel } from '../../models/test-model.ts'
import { type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'

const environmentId = 'environment'

const onWire = wireWriter(modelRecord.properties)
const settingsOf = wireReader(operations.update.body.properties)

/** Users of a workspace need not be operators of the server, so only the name is shown. */
const environmentOnWire = ({ name }: EnvironmentModel, isDefault: boolean) =>
  onWire({ id: environmentId, name, source: 'environment', model: name, keyEnd: '', isDefault })

function trimmed(name: string): string
function trimmed(name: string | undefined): string | undefined
function trimmed(name: string | undefined): string | undefined {
  if (name?.trim() === '') throw invalidField('/name', 'must not be blank')
  return name?.trim()
}

export function modelRoutes(settings: ModelSettingsService, models: ConfiguredModels, clock: Clock): Route[] {
  const storedOnWire = (workspaceId: string, model: ModelSettings) => {
    const { hasKey, end: keyEnd, problem } = settings.keyState(workspaceId, model)
    return onWire({ ...model, source: 'workspace', hasKey, keyEnd, problem: problem || null })
  }

  return [
    route(operations.create, async ({ workspaceId, body }) => {
      const created = await settings.create(workspaceId, {
        ...settingsOf(body),
        name: trimmed(body.name),
        // The model of the server settings stays the default until a workspace chooses another.
        isDefault: body.is_default ?? (models.environment ? false : undefined),
      })
      return storedOnWire(workspaceId, created)
    }),

    route(operations.update, async ({ workspaceId, body }) => {
      const change = { ...settingsOf(body), name: trimmed(body.name) }
      return storedOnWire(workspaceId, await settings.update(workspaceId, body.id, change))
    }),

    route(operations.list, async ({ workspaceId, body }) => {
      const stored = await settings.store.list(workspaceId)
      const hasDefault = stored.some(model => model.isDefault)
      const all = [
        ...stored.map(model => storedOnWire(workspaceId, model)),
        ...(models.environment ? [environmentOnWire(models.environment, !hasDefault)] : []),
      ]
      const list = async ({ page, pageSize, cursor = String(page) }: PageRequest) => {
        const number = Number(cursor)
        if (!Number.isSafeInteger(number) || number < 1)
          throw invalidField(
            '/cursor',
            'is not a cursor of this list; send the next_cursor of its previous page',
          )
        const items = all.slice((number - 1) * pageSize, number * pageSize)
        const isLast = all.length <= number * pageSize
        return { total: all.length, page: number, items, ...(!isLast && { nextCursor: String(number + 1) }) }
      }
      return pageAnswer(body, list, item => item)
    }),

    route(operations.delete, ({ workspaceId, body }) => settings.remove(workspaceId, body.id)),

    route(operations.test, async ({ workspaceId, body }) => {
      const { environment } = models
      if (body.id === environmentId && !environment)
        throw new AppError(
          'not_found',
          'The server settings have no model; set MODEL_BASE_URL and MODEL_NAME',
        )
      const found = body.id === environmentId ? undefined : await settings.get(workspaceId, body.id)
      const { latencyMilliseconds, ...result } = await testModel(
        async () =>
          found ? models.connect(workspaceId, found) : models.connectEnvironment(workspaceId, environment!),
        clock,
      )
      return { ...result, latency_ms: Math.round(latencyMilliseconds) }
    }),
  ]
}
