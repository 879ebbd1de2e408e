import { annotationRecord, annotationOperations as operations } from '../../contract/annotation-operations.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import type { Annotations } from '../../conversations/annotations.ts'
import { refuseBlank } from '../../kernel/app-error.ts'
import { type Route, route } from '../route.ts'
import { rowsAnswer } from '../rows-answer.ts'
import { wireWriter } from '../wire.ts'

const onWire = wireWriter(annotationRecord)

function refuseBlanks({ question, answer }: { question?: string; answer?: string }): void {
  refuseBlank(question, '/question')
  refuseBlank(answer, '/answer')
}

export function annotationRoutes(annotations: Annotations): Route[] {
  return [
    route(operations.create, async ({ workspaceId, body, token }) => {
      refuseBlanks(body)
      return onWire(await annotations.create(workspaceId, body.agent_id, body, token.name))
    }),
    route(operations.update, async ({ workspaceId, body, token }) => {
      refuseBlanks(body)
      const { question, answer } = body
      const change = { ...(question !== undefined && { question }), ...(answer !== undefined && { answer }) }
      return onWire(await annotations.update(workspaceId, body.id, change, token.name))
    }),
    route(operations.delete, ({ workspaceId, body }) => annotations.remove(workspaceId, body.id)),
    route(operations.list, ({ workspaceId, body }) => {
      const { agent_id: agentId, keyword = '' } = body
      const list = (page: PageRequest) => annotations.list(workspaceId, agentId, keyword, page)
      return pageAnswer(body, list, onWire)
    }),
    route(operations.import, ({ workspaceId, body, token }) =>
      annotations.load(workspaceId, body.agent_id, {
        ...{ format: body.format, content: body.content },
        ...{ skipsInvalid: body.skip_invalid ?? false, by: token.name },
      }),
    ),
    route(operations.preview, ({ workspaceId, body }) =>
      annotations.preview(workspaceId, body.agent_id, body),
    ),
    route(operations.export, ({ workspaceId, query }) =>
      rowsAnswer(
        annotations.export(workspaceId, query.agent_id, query.format),
        query.format,
        `annotations-${query.agent_id}`,
      ),
    ),
  ]
}
