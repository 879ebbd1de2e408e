import { isAllowed } from '../../access/permissions.ts'
import { modelOperations as operations } from '../../contract/model-operations.ts'
import { modelRecord } from '../../contract/model-records.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { invalidField, refuseBlank } from '../../kernel/app-error.ts'
import type { ConfiguredModels, EnvironmentModel } from '../../models/configured-models.ts'
import type { ModelSettingsService } from '../../models/model-settings-service.ts'
import type { ModelSettings } from '../../models/model-settings-store.ts'
import { environmentId, type ModelTester } from '../../models/model-tester.ts'
import type { WorkspaceModels } from '../../models/workspace-models.ts'
import { maskCredentials } from '../../workflow/credentials.ts'
import { type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'

const onWire = wireWriter(modelRecord.properties)
const settingsOf = wireReader({ ...operations.update.body.properties, ...operations.create.body.properties })
const testedOf = wireReader(operations.test.body.properties)
const offeredOnWire = wireWriter(operations.discover.data.properties.models.items.properties)
const headerOnWire = wireWriter(modelRecord.properties.headers.items.properties)

/** Users of a workspace need not be operators of the server, so only the name is shown. */
const environmentOnWire = ({ name }: EnvironmentModel, isDefault: boolean) =>
  onWire({
    ...{ id: environmentId, name, type: 'chat', source: 'environment', model: name },
    ...{ keyEnd: '', headers: [], isDefault },
  })

/** Without the right to change models, credentials that were written into an address or a body are hidden. */
function masked(model: Record<string, unknown>): Record<string, unknown> {
  const { url, body } = maskCredentials({ url: model['base_url'], body: model['extra_body'] })
  return { ...model, base_url: url, extra_body: body }
}

function trimmed(name: string): string {
  refuseBlank(name)
  return name.trim()
}

interface ModelParts {
  settings: ModelSettingsService
  models: ConfiguredModels
  others: WorkspaceModels
  tester: ModelTester
}

export function modelRoutes({ settings, models, others, tester }: ModelParts): Route[] {
  const storedOnWire = (workspaceId: string, { options, ...model }: ModelSettings) => {
    const { hasKey, end: keyEnd, headers, problem } = settings.keyState(workspaceId, { ...model, options })
    return onWire({
      ...{ ...options, ...model, source: 'workspace', hasKey, keyEnd, problem: problem || null },
      headers: headers.map(headerOnWire),
    })
  }
  const hasEnvironment = (type: ModelSettings['type'] = 'chat'): boolean =>
    type === 'chat' ? models.environment !== undefined : others.hasEnvironment(type)

  return [
    route(operations.create, async ({ workspaceId, body }) => {
      refuseBlank(body.model, '/model')
      const created = await settings.create(workspaceId, {
        ...settingsOf(body),
        name: trimmed(body.name),
        // The model of the server settings stays the default until a workspace chooses another.
        isDefault: body.is_default ?? (hasEnvironment(body.type) ? false : undefined),
      })
      return storedOnWire(workspaceId, created)
    }),

    route(operations.update, async ({ workspaceId, body }) => {
      refuseBlank(body.model, '/model')
      const change = { ...settingsOf(body), ...(body.name !== undefined && { name: trimmed(body.name) }) }
      return storedOnWire(workspaceId, await settings.update(workspaceId, body.id, change))
    }),

    route(operations.list, async ({ token, workspaceId, body }) => {
      const stored = await settings.store.list(workspaceId)
      const hasDefault = stored.some(model => model.type === 'chat' && model.isDefault)
      const { environment } = models
      const all = [
        ...stored.map(model => storedOnWire(workspaceId, model)),
        ...(environment ? [environmentOnWire(environment, !hasDefault)] : []),
      ].filter(({ type }) => body.type === undefined || type === body.type)
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
      return pageAnswer(body, list, isAllowed(token, 'admin') ? item => item : masked)
    }),

    route(operations.delete, ({ workspaceId, body }) => settings.remove(workspaceId, body.id)),

    route(operations.test, async ({ workspaceId, body }) => {
      const { latencyMilliseconds, ...result } = await tester.test(workspaceId, testedOf(body))
      return { ...result, latency_ms: Math.round(latencyMilliseconds) }
    }),

    route(operations.discover, async ({ workspaceId, body }) => ({
      models: (await tester.discover(workspaceId, testedOf(body))).map(offeredOnWire),
    })),
  ]
}
