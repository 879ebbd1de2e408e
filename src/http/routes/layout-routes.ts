import { layoutOperations as operations } from '../../contract/layout-operations.ts'
import type { LayoutService } from '../../workflow/layout-service.ts'
import { type Route, route } from '../call.ts'

export function layoutRoutes(layouts: LayoutService): Route[] {
  return [
    route(operations.get, async ({ token, query }) => {
      const layout = await layouts.get(token.workspaceId, query.id)
      // Defines each key anew, so that an id such as __proto__ is a key like any other.
      return { positions: Object.fromEntries(layout) }
    }),

    route(operations.place, async ({ token, body }) => {
      const changes = new Map(
        Object.entries(body.positions).map(([id, place]) => [
          id,
          place === null ? undefined : { x: place.x, y: place.y },
        ]),
      )
      await layouts.place(token.workspaceId, body.id, changes)
      return {}
    }),
  ]
}
