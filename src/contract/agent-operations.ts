import Type, { type TSchema } from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, idPattern, text, time } from './text.ts'

export const agentId = id('Agent id.', 'agent_Zk3xV0m2q1c5b7n9d1f3gA')

const name = text({
  minLength: 1,
  maxLength: limits.agentNameLength,
  description: 'Display name.',
  examples: ['Butler'],
})
const intro = text({
  maxLength: limits.descriptionLength,
  description: 'What the agent does, shown to users.',
  examples: ['Knows the house.'],
})

/** An object with keys chosen by the client. */
const mapOf = <Value>(
  value: object,
  keys: { max: number; names: object },
  options: { description: string; examples: unknown[] },
) =>
  Type.Unsafe<Record<string, Value>>({
    type: 'object',
    maxProperties: keys.max,
    propertyNames: keys.names,
    additionalProperties: value,
    ...options,
  })

const memory = mapOf<{ name?: string; description?: string; default?: unknown }>(
  Type.Object({
    name: Type.Optional(text({ maxLength: limits.agentNameLength, description: 'Display name.' })),
    description: Type.Optional(
      text({ maxLength: limits.descriptionLength, description: 'What the value means.' }),
    ),
    default: Type.Optional(
      Type.Unknown({ description: 'Initial value, until a workflow assigns another one.' }),
    ),
  }),
  { max: limits.agentEntries, names: { minLength: 1, maxLength: 100 } },
  {
    description: 'Variables kept for each conversation, by key: `name`, `description`, `default`.',
    examples: [{ city: { name: 'City', description: 'Where the user lives', default: '' } }],
  },
)

const learn = mapOf<object>(
  { type: 'object' },
  { max: limits.agentEntries, names: { pattern: idPattern } },
  {
    description:
      'Knowledge bases the agent answers from, by id; the values are reserved and stored unchanged.',
    examples: [{ kb_Zk3xV0m2q1c5b7n9d1f3gA: {} }],
  },
)

/** In an update, null removes a setting. */
const setting = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const textSetting = (maxLength: number, description: string) => setting(text({ maxLength, description }))

const config = Type.Object(
  {
    prologue: textSetting(4000, 'Greeting that a client shows before the first message.'),
    recommendation_question: setting(
      Type.Array(text({ maxLength: 500 }), {
        maxItems: 20,
        description: 'Suggested first questions.',
      }),
    ),
    voice: Type.Optional(Type.Unknown({ description: 'Voice settings for clients; stored unchanged.' })),
    figure: Type.Optional(Type.Unknown({ description: 'Avatar settings for clients; stored unchanged.' })),
    tools: setting(
      mapOf<{ version?: string; running_config?: Record<string, unknown> }>(
        Type.Object({
          version: Type.Optional(text({ maxLength: 100 })),
          running_config: Type.Optional(
            Type.Unsafe<Record<string, unknown>>({
              type: 'object',
              description: 'How the tool is executed.',
            }),
          ),
        }),
        { max: limits.agentTools, names: { minLength: 1, maxLength: 64 } },
        {
          description:
            'Tools that the model may call, by name. `web_search` needs no configuration; other tools set `running_config`: its `type` is http, workflow, mcp or knowledge, and its other fields are those of a tool of an llm node.',
          examples: [{ web_search: {} }],
        },
      ),
    ),
    workflow_id: setting(
      id(
        'The workflow that answers; without one, the agent answers with a model and its persona.',
        'wf_hello',
      ),
    ),
    character_profile: textSetting(
      limits.personaLength,
      'The persona: who the agent is and how it answers. Without it, name and intro are used.',
    ),
    model: textSetting(limits.modelNameLength, 'The model that answers; without it, the default model.'),
    type: textSetting(100, 'Type of agent, for clients; stored unchanged.'),
  },
  {
    additionalProperties: true,
    description: 'Settings. Unknown keys are stored unchanged.',
    examples: [{ character_profile: 'You are a butler.', prologue: 'At your service.' }],
  },
)

const access = Type.Enum(['public', 'private'], {
  description:
    'public: anyone who knows the id may chat with the agent without a token. private (default): a token is required.',
  examples: ['private'],
})

const optionalFields = {
  intro: Type.Optional(intro),
  memory: Type.Optional(memory),
  learn: Type.Optional(learn),
  config: Type.Optional(config),
  access: Type.Optional(access),
}

const recordFields = {
  id: agentId,
  name,
  intro,
  memory,
  learn,
  config,
  access,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
}

/** The fields that a runner token sees. */
const shownFields = { id: agentId, name, intro, config }
const { memory: _memory, learn: _learn, ...listedFields } = recordFields

const checked = Type.Object({
  ...recordFields,
  warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description:
      'Problems that do not prevent saving: references to objects that do not exist yet, tools that are ignored, templates with syntax errors.',
    examples: [[]],
  }),
})

const found = mapOf<unknown>(
  Type.Object({
    exist: Type.Boolean({ description: 'Whether the agent exists.' }),
    data: Type.Optional(
      Type.Union([Type.Object(recordFields), Type.Object(shownFields)], {
        description: 'The agent; a runner sees only the fields a chat client needs.',
      }),
    ),
  }),
  { max: limits.agentsPerCall, names: {} },
  {
    description: 'The agents by id. The same object is repeated at the top level, next to `data`.',
    examples: [{ agent_unknown: { exist: false } }],
  },
)

const common = { family: 'agent', method: 'POST' } as const

export const agentOperations = {
  create: {
    ...common,
    name: 'agent.create',
    path: `${basePath}/agent/create`,
    access: 'write',
    summary: 'Create an agent',
    details:
      'An agent answers by running its workflow or, without one, with a model, its persona, its knowledge bases and its tools.',
    body: Type.Object({ name, ...optionalFields }),
    bodyLimit: limits.messageBytes,
    creates: true,
    data: checked,
    example: {
      name: 'Butler',
      intro: 'Knows the house.',
      config: { character_profile: 'You are a butler.', prologue: 'At your service.' },
    },
  },
  update: {
    ...common,
    name: 'agent.update',
    path: `${basePath}/agent/update`,
    access: 'write',
    summary: 'Update an agent',
    details:
      'Fields that are not sent keep their values. Keys of `config` are merged one by one, null removes a key; `memory` and `learn` are replaced as a whole.',
    body: Type.Object({ id: agentId, name: Type.Optional(name), ...optionalFields }),
    bodyLimit: limits.messageBytes,
    data: checked,
    example: { id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', access: 'public' },
  },
  delete: {
    ...common,
    name: 'agent.delete',
    path: `${basePath}/agent/delete`,
    access: 'write',
    summary: 'Delete an agent with its conversations',
    body: Type.Object({ id: agentId }),
    data: Type.Object({}),
    example: { id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  list: {
    ...common,
    name: 'agent.list',
    path: `${basePath}/agent/list`,
    access: 'read',
    summary: 'List agents, most recently updated first',
    details: '`config` contains only `workflow_id` and `type`; use agent.gets for the full record.',
    body: Type.Object({
      keyword: Type.Optional(text({ maxLength: limits.nameLength, description: 'Part of the name or id.' })),
      ...pagingFields,
    }),
    data: pageOf(Type.Object(listedFields)),
    example: { keyword: 'butler', page: 1, page_size: 20 },
  },
  gets: {
    ...common,
    name: 'agent.gets',
    path: `${basePath}/agent/gets`,
    access: 'token',
    summary: 'Get agents by id',
    details:
      'A runner sees only the agents it may chat with, and of those id, name, intro and, in config, prologue, recommendation_question, voice, figure and type. Tokens without write access see ••• instead of the header values of tools.',
    body: Type.Object({
      id: Type.Array(agentId, { minItems: 1, maxItems: limits.agentsPerCall, description: 'Agent ids.' }),
    }),
    data: Type.Object({ agents: found }),
    example: { id: ['agent_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
} as const satisfies Record<string, Operation>
