import type { Agent, AgentChange } from '../../agents/agent.ts'
import type { AgentService, CheckedAgent } from '../../agents/agent-service.ts'
import { agentOperations as operations } from '../../contract/agent-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Answer, jsonType } from '../answer.ts'
import { type Call, type Route, route } from '../call.ts'
import { mayUse } from './agent-access.ts'

const onWire = (agent: Agent) => ({
  id: agent.id,
  name: agent.name,
  intro: agent.intro,
  memory: agent.memory,
  learn: agent.learn,
  config: agent.config,
  access: agent.access,
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
})

const checkedOnWire = ({ agent, warnings }: CheckedAgent) => ({ ...onWire(agent), warnings })

/** Member by member, so that fields nobody knows are never stored. */
function changeOf(body: Call<typeof operations.create | typeof operations.update>['body']): AgentChange {
  const { name, intro, learn, config, access } = body
  if (name?.trim() === '') throw invalidField('/name', 'must not be only white space')
  const memory =
    body.memory &&
    Object.fromEntries(
      Object.entries(body.memory).map(([key, entry]) => [
        key,
        {
          name: entry.name ?? '',
          description: entry.description ?? '',
          ...(entry.default !== undefined && { default: entry.default }),
        },
      ]),
    )
  return { name, intro, memory, learn, config, access }
}

export function agentRoutes(agents: AgentService): Route[] {
  return [
    route(operations.create, async ({ token, body }) =>
      checkedOnWire(await agents.create(token.workspaceId, { ...changeOf(body), name: body.name })),
    ),

    route(operations.update, async ({ token, body }) =>
      checkedOnWire(await agents.update(token.workspaceId, body.id, changeOf(body))),
    ),

    route(operations.delete, async ({ token, body }) => {
      await agents.remove(token.workspaceId, body.id)
      return {}
    }),

    route(operations.list, async ({ token, body }) => {
      const request = pageRequest(body)
      const page = await agents.list(token.workspaceId, body.keyword ?? '', request)
      return pageAnswer(request, { total: page.total, items: page.items.map(onWire) })
    }),

    route(operations.gets, async ({ token, body }) => {
      const found = await agents.gets(
        token.workspaceId,
        body.id.filter(id => mayUse(token, id)),
      )
      const answers = body.id.map(id => {
        const agent = found.get(id)
        return [id, agent ? { exist: true, data: onWire(agent) } : { exist: false }]
      })
      // Programs of the original service look for it at the top, all others inside the envelope.
      const json = JSON.stringify(Object.fromEntries(answers))
      return new Answer(
        200,
        { 'content-type': jsonType, 'cache-control': 'no-store' },
        `{"code":0,"message":"success","data":{"agents":${json}},"agents":${json}}`,
      )
    }),
  ]
}
