import { hash } from 'node:crypto'
import { type KindsData, kindOperations } from '../../contract/kind-operations.ts'
import { layoutOperations } from '../../contract/layout-operations.ts'
import { readShapes } from '../../workflow/layout-shapes.ts'
import type { LayoutStore } from '../../workflow/layout-store.ts'
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

export const layoutRoutes = (layouts: LayoutStore): Route[] => [
  route(layoutOperations.layout, async ({ workspaceId, query }) => {
    const { positions, shapes } = await layouts.get(workspaceId, query.id)
    // Object.fromEntries defines own keys, so that an id such as __proto__ is a normal key.
    return { positions: Object.fromEntries(positions), shapes: Object.fromEntries(shapes) }
  }),

  route(layoutOperations.place, async ({ workspaceId, body }) => {
    const shapes = readShapes(body.shapes ?? {}, '/shapes')
    const positions = Object.entries(body.positions ?? {}).map(([id, place]) => {
      return [id, place === null ? undefined : { x: place.x, y: place.y }] as const
    })
    await layouts.place(workspaceId, body.id, new Map(positions))
    if (shapes.size > 0) await layouts.putShapes(workspaceId, body.id, shapes)
  }),
]
