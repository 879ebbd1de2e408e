import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { Agent, AgentChange, AgentSummary } from '../../agents/agent.ts'
import type { AgentService, CheckedAgent } from '../../agents/agent-service.ts'
import { agentOperations as operations } from '../../contract/agent-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Answer, jsonType } from '../answer.ts'
import { type Call, type Route, route } from '../call.ts'
import { refuseInexact } from '../exact-numbers.ts'
import { mayUse } from './agent-access.ts'
import { refuseMaskedHeaders, withMaskedHeaders } from './masked-headers.ts'

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

/** What a list tells: those settings that say what kind of agent it is. */
const listedOnWire = (agent: AgentSummary) => ({
  id: agent.id,
  name: agent.name,
  intro: agent.intro,
  config: picked(agent.config, ['workflow_id', 'type']),
  access: agent.access,
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
})

/** What a client needs that talks to it. How it is made, its tools and their keys, is not a client's business. */
const shownOnWire = (agent: Agent) => ({
  id: agent.id,
  name: agent.name,
  intro: agent.intro,
  config: picked(agent.config, ['prologue', 'recommendation_question', 'voice', 'figure', 'type']),
})

const picked = (config: Agent['config'], names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)))

/** Whoever may not change an agent has no use for the keys of its tools. */
const readOnWire = (agent: Agent) => ({ ...onWire(agent), config: withMaskedHeaders(agent.config) })

function forToken(token: TokenRecord): (agent: Agent) => object {
  if (isAllowed(token, 'write')) return onWire
  return isAllowed(token, 'read') ? readOnWire : shownOnWire
}

const checkedOnWire = ({ agent, warnings }: CheckedAgent) => ({ ...onWire(agent), warnings })

/** Member by member, so that fields nobody knows are never stored. */
function changeOf({
  body,
  members,
}: Pick<Call<typeof operations.create | typeof operations.update>, 'body' | 'members'>): AgentChange {
  refuseInexact(members, ['config', 'memory', 'learn'])
  const { name, intro, learn, config, access } = body
  refuseMaskedHeaders(config?.tools)
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
    route(operations.create, async ({ token, body, members }) =>
      checkedOnWire(
        await agents.create(token.workspaceId, { ...changeOf({ body, members }), name: body.name }),
      ),
    ),

    route(operations.update, async ({ token, body, members }) =>
      checkedOnWire(await agents.update(token.workspaceId, body.id, changeOf({ body, members }))),
    ),

    route(operations.delete, async ({ token, body }) => {
      await agents.remove(token.workspaceId, body.id)
      return {}
    }),

    route(operations.list, async ({ token, body }) => {
      const request = pageRequest(body)
      const page = await agents.list(token.workspaceId, body.keyword ?? '', request)
      return pageAnswer(request, { total: page.total, items: page.items.map(listedOnWire) })
    }),

    route(operations.gets, async ({ token, body }) => {
      const found = await agents.gets(
        token.workspaceId,
        body.id.filter(id => mayUse(token, id)),
      )
      const show = forToken(token)
      const answers = body.id.map(id => {
        const agent = found.get(id)
        return [id, agent ? { exist: true, data: show(agent) } : { exist: false }]
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
