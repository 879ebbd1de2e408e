import { isAllowed } from '../../access/permissions.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import {
  toolOperations as operations,
  sharedToolRecord,
  toolSettings,
} from '../../contract/tool-operations.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import type { SecretService } from '../../secrets/secret-service.ts'
import { importTools } from '../../shared-tools/import-tools.ts'
import type { SharedToolService } from '../../shared-tools/shared-tool-service.ts'
import type { SharedTool } from '../../shared-tools/shared-tool-store.ts'
import type { ToolTrials } from '../../shared-tools/tool-trials.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { maskCredentials } from '../../workflow/credentials.ts'
import { callerSignal } from '../event-stream.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'

const settingsIn = wireReader(toolSettings)
const recordOnWire = wireWriter(sharedToolRecord)
/** Values of settings that the author of a tool left out. */
const unset = {
  ...{ description: '', method: 'GET', headers: {}, oauth: null, places: {}, tools: [] },
  parameters: { type: 'object', properties: {} },
}

/** Headers that may hold credentials are shown only to tokens that may change them. */
function onWire({ settings, ...tool }: SharedTool, token: Call['token']) {
  const { url, headers, oauth, ...others } = { ...unset, url: '', ...settings }
  const sent = { url, headers, oauth }
  const shown = isAllowed(token, 'write') ? sent : maskCredentials(sent)
  return recordOnWire({ ...others, ...shown, ...tool })
}

export function toolRoutes(
  trials: ToolTrials,
  tools: SharedToolService,
  secrets: Pick<SecretService, 'names'>,
): Route[] {
  return [
    route(operations.inspect, async ({ workspaceId, body }) => {
      try {
        const { protocolVersion, ...info } = await trials.inspect(workspaceId, body)
        return { ...info, protocol_version: protocolVersion }
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error
        throw new AppError('step_failed', error.message)
      }
    }),

    route(operations.try, async ({ workspaceId, body }) => {
      const { id, tool = '', arguments: args = {}, ...given } = body
      const stored = id === undefined ? undefined : await tools.get(workspaceId, id)
      const settings = { ...stored?.settings, ...(stored && { type: stored.type }), ...given }
      const { type, url } = settings
      if (type === undefined)
        throw invalidField('/type', 'is required: http or mcp, or the id of a stored tool')
      if (typeof url !== 'string') throw invalidField('/url', 'is required')
      if (type === 'mcp' && tool === '')
        throw invalidField('/tool', 'is required: the name of a tool of the MCP server')
      return trials.try(workspaceId, { ...settings, type, url }, tool, args)
    }),

    route(operations.import, async ({ workspaceId, body, request, reply }) => {
      const imported = await importTools(body.content, { signal: callerSignal(request, reply) })
      const names = await secrets.names(workspaceId)
      const needed = imported.secrets.map(secret => ({ ...secret, exists: names.has(secret.name) }))
      return { ...imported, secrets: needed }
    }),

    route(operations.create, async ({ workspaceId, token, body }) => {
      const { name, type } = body
      return onWire(
        await tools.create(workspaceId, { name, type, settings: settingsIn(body) }, token.name),
        token,
      )
    }),

    route(operations.update, async ({ workspaceId, token, body }) => {
      const { id, name } = body
      const change = { ...(name !== undefined && { name }), settings: settingsIn(body) }
      return onWire(await tools.update(workspaceId, id, change, token.name), token)
    }),

    route(operations.get, async ({ workspaceId, token, body }) =>
      onWire(await tools.get(workspaceId, body.id), token),
    ),

    route(operations.list, ({ workspaceId, token, body }) => {
      const list = (page: PageRequest) => tools.list(workspaceId, body.keyword ?? '', page)
      return pageAnswer(body, list, tool => onWire(tool, token))
    }),

    route(operations.usedBy, async ({ workspaceId, query }) => ({
      items: await tools.usedBy(workspaceId, query.id),
    })),

    route(operations.delete, async ({ workspaceId, body: { id, force } }) => {
      if (!force) await tools.refuseUsed(workspaceId, id)
      await tools.remove(workspaceId, id)
    }),
  ]
}
