import type { AuditLog } from '../../audit/audit-log.ts'
import type { AuditPosition } from '../../audit/audit-store.ts'
import { auditFields, auditOperations as operations } from '../../contract/audit-operations.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { type Route, route } from '../route.ts'
import { momentOf, wireWriter } from '../wire.ts'

const fieldsOnWire = wireWriter(auditFields)
export const auditOnWire = (entry: Parameters<typeof fieldsOnWire>[0] & { at: number }) =>
  fieldsOnWire({ ...entry, at: isoTime(entry.at) })

const writeCursor = ({ at, id }: AuditPosition): string => Buffer.from(`${at} ${id}`).toString('base64url')

function readCursor(cursor: string | undefined): AuditPosition | undefined {
  if (cursor === undefined) return undefined
  const [, at, id] = /^(\d{1,15}) ([\w-]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (!at || !id) throw invalidField('/cursor', 'must be the next_cursor of a page of this list')
  return { at: Number(at), id }
}

export function auditRoutes({ store }: Pick<AuditLog, 'store'>): Route[] {
  return [
    route(operations.list, async ({ workspaceId, query }) => {
      const { page_size: pageSize = 20, actor_id: actorId, object_id: objectId } = query
      const [from, to] = [momentOf(query.from, '/from'), momentOf(query.to, '/to')]
      const filter = {
        ...(actorId !== undefined && { actorId }),
        ...(objectId !== undefined && { objectId }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      }
      const found = await store.list(workspaceId, filter, readCursor(query.cursor), pageSize + 1)
      const items = found.slice(0, pageSize)
      const last = found.length > pageSize ? items.at(-1) : undefined
      return { items: items.map(auditOnWire), next_cursor: last ? writeCursor(last) : null }
    }),
  ]
}
