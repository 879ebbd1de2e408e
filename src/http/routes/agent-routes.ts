import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { Agent, AgentChange, AgentSummary } from '../../agents/agent.ts'
import type { AgentService, CheckedAgent } from '../../agents/agent-service.ts'
import { normalOrigin } from '../../agents/allowed-origins.ts'
import { isOneCharacter } from '../../agents/avatar.ts'
import { agentFields, listedFields, agentOperations as operations } from '../../contract/agent-operations.ts'
import { pointerSegment } from '../../contract/finding.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { invalidField, refuseBlank } from '../../kernel/app-error.ts'
import { credentialMask, findCredentials, isMasked, maskCredentials } from '../../workflow/credentials.ts'
import { Answer, jsonHeaders } from '../answer.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireWriter } from '../wire.ts'
import { mayUse } from './agent-access.ts'

/** A masked value that is sent back would overwrite the real one. */
function refuseMasks(tools: Agent['config']['tools'] | null): void {
  const masked = findCredentials(tools).find(isMasked)
  if (masked)
    throw invalidField(
      `/config/tools/${masked.path.map(pointerSegment).join('/')}`,
      `is the mask ${credentialMask}; send the real value, or {{#secret.name#}}`,
    )
}

const onWire = wireWriter(agentFields)
const summaryOnWire = wireWriter(listedFields)

/** In a list, only the settings that tell the type of agent. */
const listedOnWire = (agent: AgentSummary) => ({
  ...summaryOnWire(agent),
  config: picked(agent.config, ['workflow_id', 'avatar', 'type']),
})

/** What a chat client needs; tools and their keys are hidden. */
const clientOnWire = ({ id, name, intro, config }: Agent) => ({
  id,
  name,
  intro,
  config: picked(config, ['prologue', 'recommendation_question', 'voice', 'figure', 'avatar', 'type']),
})

const picked = (config: Agent['config'], names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)))

/** Without write access, literal credentials of tools are hidden. */
const readOnWire = (agent: Agent) => onWire({ ...agent, config: maskCredentials(agent.config) })

function forToken(token: TokenRecord): (agent: Agent) => object {
  if (isAllowed(token, 'write')) return onWire
  return isAllowed(token, 'read') ? readOnWire : clientOnWire
}

const checkedOnWire = ({ agent, warnings }: CheckedAgent) => ({ ...onWire(agent), warnings })

type ChangeBody = Call<typeof operations.create | typeof operations.update>['body']

/** Checks the avatar. Unlike other settings it is shown to all users, so only what a client can display is stored. */
function checkedAvatar({ avatar, ...config }: NonNullable<ChangeBody['config']>): AgentChange['config'] {
  if (!avatar) return avatar === null ? { ...config, avatar } : config
  const { emoji, color } = avatar
  if (emoji !== undefined && !isOneCharacter(emoji))
    throw invalidField('/config/avatar/emoji', 'must be one emoji or character')
  return { ...config, avatar: { emoji, color } }
}

/** Field by field, so that unknown fields are never stored. */
function changeOf(body: ChangeBody): AgentChange {
  const { name, intro, learn, access, allowed_origins: origins } = body
  refuseMasks(body.config?.tools)
  const config = body.config && checkedAvatar(body.config)
  refuseBlank(name)
  const memory = Object.entries(body.memory ?? {}).map(([key, entry]) => {
    const { name = '', description = '', default: initial } = entry
    return [key, { name, description, default: initial }]
  })
  return {
    ...{ name, intro, memory: body.memory && Object.fromEntries(memory), learn, config, access },
    allowedOrigins: origins && [...new Set(origins.map(normalOrigin))],
  }
}

export function agentRoutes(agents: AgentService): Route[] {
  return [
    route(operations.create, async ({ workspaceId, body }) =>
      checkedOnWire(await agents.create(workspaceId, { ...changeOf(body), name: body.name })),
    ),

    route(operations.update, async ({ workspaceId, body }) =>
      checkedOnWire(await agents.update(workspaceId, body.id, changeOf(body))),
    ),

    route(operations.delete, ({ workspaceId, body }) => agents.remove(workspaceId, body.id)),

    route(operations.list, ({ workspaceId, body }) => {
      const list = (page: PageRequest) => agents.store.list(workspaceId, body.keyword ?? '', page)
      return pageAnswer(body, list, listedOnWire)
    }),

    route(operations.gets, async ({ token, body }) => {
      const ids = new Set(body.id.filter(id => mayUse(token, id)))
      const agentList = await agents.store.findMany(token.workspaceId, [...ids])
      const found = new Map(agentList.map(agent => [agent.id, agent]))
      const show = forToken(token)
      const answers = body.id.map(id => {
        const agent = found.get(id)
        return [id, agent ? { exist: true, data: show(agent) } : { exist: false }]
      })
      // Clients of the original service expect it at the top level, all others inside the envelope.
      const json = JSON.stringify(Object.fromEntries(answers))
      return new Answer(
        200,
        jsonHeaders,
        `{"code":0,"message":"success","data":{"agents":${json}},"agents":${json}}`,
      )
    }),
  ]
}
