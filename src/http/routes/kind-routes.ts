import { hash } from 'node:crypto'
import { type KindsData, kindOperations as operations } from '../../contract/kind-operations.ts'
import { Answer, jsonType, successText } from '../answer.ts'
import { type Route, route } from '../call.ts'
import { entityTag, matchesTag } from '../entity-tags.ts'

interface Written {
  text: string
  headers: Record<string, string>
}

/** `load` is called when somebody first asks: a server that nobody draws on holds none of it. */
export function kindRoutes(load: () => Promise<KindsData>): Route[] {
  let written: Promise<Written> | undefined
  const write = async (): Promise<Written> => {
    const text = successText(JSON.stringify(await load()))
    const etag = entityTag(hash('sha256', text, 'base64url').slice(0, 22))
    return { text, headers: { etag, 'cache-control': 'private, no-cache', 'content-type': jsonType } }
  }
  return [
    route(operations.kinds, async ({ request }) => {
      written ??= write().catch((error: unknown) => {
        written = undefined
        throw error
      })
      const { text, headers } = await written
      return matchesTag(request.headers['if-none-match'], headers['etag']!)
        ? new Answer(304, headers)
        : new Answer(200, headers, text)
    }),
  ]
}
