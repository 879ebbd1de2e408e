import { hash } from 'node:crypto'
import { type KindsData, kindOperations } from '../../contract/kind-operations.ts'
import { layoutOperations } from '../../contract/layout-operations.ts'
import type { LayoutService } from '../../workflow/layout-service.ts'
import { readShapes } from '../../workflow/layout-shapes.ts'
import { jsonType, successText } from '../answer.ts'
import { conditionalAnswer, entityTag, revalidated } from '../content-headers.ts'
import { onFirstUse, type Route, route } from '../route.ts'

/** `load` is called on the first request, so that a server without editors does not hold the catalog in memory. */
export function kindRoutes(load: () => Promise<KindsData>): Route[] {
  const kinds = onFirstUse(async () => {
    const text = successText(JSON.stringify(await load()))
    const etag = entityTag(hash('sha256', text, 'base64url').slice(0, 22))
    return { text, headers: { etag, ...revalidated, 'content-type': jsonType } }
  })
  return [
    route(kindOperations.kinds, async ({ request }) => {
      const { text, headers } = await kinds()
      return conditionalAnswer(request, headers, text)
    }),
  ]
}

export function layoutRoutes(layouts: LayoutService): Route[] {
  return [
    route(layoutOperations.layout, async ({ workspaceId, query }) => {
      const [layout, shapes] = await Promise.all([
        layouts.get(workspaceId, query.id),
        layouts.shapes(workspaceId, query.id),
      ])
      // Object.fromEntries defines own keys, so that an id such as __proto__ is a normal key.
      return { positions: Object.fromEntries(layout), shapes: Object.fromEntries(shapes) }
    }),

    route(layoutOperations.place, async ({ workspaceId, body }) => {
      const shapes = readShapes(body.shapes ?? {}, '/shapes')
      const changes = new Map(
        Object.entries(body.positions ?? {}).map(([id, place]) => [
          id,
          place === null ? undefined : { x: place.x, y: place.y },
        ]),
      )
      await layouts.place(workspaceId, body.id, changes)
      if (shapes.size > 0) await layouts.putShapes(workspaceId, body.id, shapes)
    }),
  ]
}
