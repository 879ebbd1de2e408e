import Type, { type TSchema } from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, idPattern, text, time } from './text.ts'

export const agentId = id('Agent id.', 'agent_Zk3xV0m2q1c5b7n9d1f3gA')

const name = text({
  minLength: 1,
  maxLength: limits.agentNameLength,
  description: 'What people call it.',
  examples: ['Butler'],
})
const intro = text({
  maxLength: limits.descriptionLength,
  description: 'What it is for, for people.',
  examples: ['Knows the house.'],
})

/** An object whose keys are the client's. */
const mapOf = <Value>(
  value: object,
  keys: { most: number; names: object },
  options: { description: string; examples: unknown[] },
) =>
  Type.Unsafe<Record<string, Value>>({
    type: 'object',
    maxProperties: keys.most,
    propertyNames: keys.names,
    additionalProperties: value,
    ...options,
  })

const memory = mapOf<{ name?: string; description?: string; default?: unknown }>(
  Type.Object({
    name: Type.Optional(text({ maxLength: limits.agentNameLength, description: 'What people call it.' })),
    description: Type.Optional(
      text({ maxLength: limits.descriptionLength, description: 'What it stands for.' }),
    ),
    default: Type.Optional(Type.Unknown({ description: 'Its value until a workflow assigns another.' })),
  }),
  { most: limits.agentEntries, names: { minLength: 1, maxLength: 100 } },
  {
    description: 'Values that it remembers in each conversation, by key: `name`, `description`, `default`.',
    examples: [{ city: { name: 'City', description: 'Where the user lives', default: '' } }],
  },
)

const learn = mapOf<object>(
  { type: 'object' },
  { most: limits.agentEntries, names: { pattern: idPattern } },
  {
    description: 'Knowledge bases that it answers from, by id; the values are kept for later.',
    examples: [{ kb_Zk3xV0m2q1c5b7n9d1f3gA: {} }],
  },
)

/** On an update null takes a setting away. */
const setting = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const words = (maxLength: number, description: string) => setting(text({ maxLength, description }))

const config = Type.Object(
  {
    prologue: words(4000, 'What a client shows before the first message.'),
    recommendation_question: setting(
      Type.Array(text({ maxLength: 500 }), {
        maxItems: 20,
        description: 'Questions that a client offers to begin with.',
      }),
    ),
    voice: Type.Optional(Type.Unknown({ description: 'For clients that speak; kept as it is.' })),
    figure: Type.Optional(Type.Unknown({ description: 'For clients with an avatar; kept as it is.' })),
    tools: setting(
      mapOf<{ version?: string; running_config?: Record<string, unknown> }>(
        Type.Object({
          version: Type.Optional(text({ maxLength: 100 })),
          running_config: Type.Optional(
            Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'How it is run.' }),
          ),
        }),
        { most: limits.agentTools, names: { minLength: 1, maxLength: 64 } },
        {
          description:
            'Tools that the model may use, by name. `web_search` needs nothing more; others say in `running_config` how they are run: its `type` is http, workflow, mcp or knowledge, its other fields are those of a tool of an llm node.',
          examples: [{ web_search: {} }],
        },
      ),
    ),
    workflow_id: setting(id('The workflow that answers; without one the agent is a persona.', 'wf_hello')),
    character_profile: words(
      limits.characterLength,
      'Who it is and how it speaks; without it, its name and intro stand in.',
    ),
    model: words(limits.modelNameLength, 'The model that answers; without it the one of the settings.'),
    type: words(100, 'What kind of agent it is, for clients; kept as it is.'),
  },
  {
    additionalProperties: true,
    description: 'Settings. Unknown keys are kept as they are.',
    examples: [{ character_profile: 'You are a butler.', prologue: 'At your service.' }],
  },
)

const access = Type.Enum(['public', 'private'], {
  description:
    'public: whoever knows its id may talk to it without a token. private, the default: it takes a token.',
  examples: ['private'],
})

const wishes = {
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

/** What a client that only talks to agents sees of one. */
const shownFields = { id: agentId, name, intro, config }
const { memory: _memory, learn: _learn, ...listedFields } = recordFields

const checked = Type.Object({
  ...recordFields,
  warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description:
      'What keeps it from answering as it should: what it names that is not there yet, tools that are left out, templates that cannot be read. It is stored all the same.',
    examples: [[]],
  }),
})

const found = mapOf<unknown>(
  Type.Object({
    exist: Type.Boolean({ description: 'Whether there is such an agent.' }),
    data: Type.Optional(
      Type.Union([Type.Object(recordFields), Type.Object(shownFields)], {
        description: 'The agent; to a runner only what a client shows.',
      }),
    ),
  }),
  { most: limits.agentsPerCall, names: {} },
  {
    description: 'By id; the same stands once more at the top level, beside `data`.',
    examples: [{ agent_nobody: { exist: false } }],
  },
)

const common = { family: 'agent', method: 'POST' } as const

export const agentOperations = {
  create: {
    ...common,
    name: 'agent.create',
    path: `${basePath}/agent/create`,
    access: 'write',
    summary: 'Make an agent',
    details:
      'With a workflow it answers by running that; without one it is a persona that answers with a model, from its knowledge and with its tools.',
    body: Type.Object({ name, ...wishes }),
    bodyLimit: limits.talkBytes,
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
    summary: 'Change an agent',
    details:
      'Only what is sent changes. The keys of `config` are replaced one by one, and one that is null goes; `memory` and `learn` are replaced as a whole.',
    body: Type.Object({ id: agentId, name: Type.Optional(name), ...wishes }),
    bodyLimit: limits.talkBytes,
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
    summary: 'List agents, the last changed first',
    details:
      'Of the settings only `workflow_id` and `type` are told; look an agent up with gets for the rest.',
    body: Type.Object({
      keyword: Type.Optional(
        text({ maxLength: limits.nameLength, description: 'Part of the name or of the id.' }),
      ),
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
    summary: 'Look up agents by their ids',
    details:
      'A runner sees the agents it may talk to; the others do not exist for it. Of these it sees id, name, intro and, of config, prologue, recommendation_question, voice, figure and type. Whoever may not write sees ••• for the values of tools’ headers.',
    body: Type.Object({
      id: Type.Array(agentId, { minItems: 1, maxItems: limits.agentsPerCall, description: 'Ids of agents.' }),
    }),
    data: Type.Object({ agents: found }),
    example: { id: ['agent_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
} as const satisfies Record<string, Operation>
