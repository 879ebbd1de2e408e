import { pageAnswer } from '../../contract/paging.ts'
import { secretOperations as operations, secretRecord } from '../../contract/secret-operations.ts'
import type { SecretService } from '../../secrets/secret-service.ts'
import { type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'

const listedOnWire = wireWriter(secretRecord)
const storedOnWire = wireWriter(operations.set.data.properties)

export function secretRoutes(secrets: SecretService): Route[] {
  return [
    route(operations.set, async ({ workspaceId, token, body }) => {
      const { name, value } = body
      const { isNew, ...secret } = await secrets.set(workspaceId, { name, value, by: token.name })
      return storedOnWire({ ...secret, message: isNew ? 'created' : 'updated' })
    }),

    route(operations.list, ({ workspaceId, body }) =>
      pageAnswer(body, page => secrets.list(workspaceId, page), listedOnWire),
    ),

    route(operations.delete, ({ workspaceId, body }) => secrets.remove(workspaceId, body.name)),
  ]
}
