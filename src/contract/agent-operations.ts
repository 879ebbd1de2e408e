import type { TSchema } from 'typebox'
import { avatarField } from './avatar.ts'
import {
  anyObject,
  array,
  boolean,
  choice,
  id,
  integer,
  named,
  numberIn,
  optional,
  string,
  text,
  time,
} from './fields.ts'
import { variablesData, variablesField } from './input-variable.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { idOrEmptyPattern, idPattern, originPattern } from './patterns.ts'
import { Type } from './schema.ts'

export const agentId = id('Agent id.', 'agent_Zk3xV0m2q1c5b7n9d1f3gA')

const name = text('Display name.', [1, limits.agentNameLength], { example: 'Butler' })
const intro = text('Short description of the agent, shown to users.', [0, limits.descriptionLength], {
  example: 'Knows the house.',
})

/** An object with keys chosen by the client. */
const mapOf = <Value>(
  value: object,
  keys: { max: number; names: object },
  description: string,
  example: unknown,
) =>
  Type.Unsafe<Record<string, Value>>({
    type: 'object',
    maxProperties: keys.max,
    propertyNames: keys.names,
    additionalProperties: value,
    description,
    examples: [example],
  })

const memory = mapOf<{ name?: string; description?: string; default?: unknown }>(
  Type.Object(
    optional({
      name: text('Display name.', [0, limits.agentNameLength]),
      description: text('Meaning of the value.', [0, limits.descriptionLength]),
      default: Type.Unknown({ description: 'Default value, until a workflow assigns another value.' }),
    }),
  ),
  { max: limits.agentEntries, names: { minLength: 1, maxLength: 100 } },
  'Variables kept for each conversation, by key: `name`, `description`, `default`.',
  { city: { name: 'City', description: 'Where the user lives', default: '' } },
)

const learn = mapOf<object>(
  { type: 'object' },
  { max: limits.agentEntries, names: { pattern: idPattern } },
  'Knowledge bases the agent answers from, by id; the values are reserved and stored unchanged.',
  { kb_Zk3xV0m2q1c5b7n9d1f3gA: {} },
)

/** In an update, null removes a setting. */
const setting = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const textSetting = (maxLength: number, description: string) => setting(text(description, [0, maxLength]))

const config = Type.Object(
  {
    prologue: textSetting(4000, 'Greeting that a client shows before the first message.'),
    recommendation_question: setting(
      array(Type.String({ maxLength: 500, format: 'text' }), 'Suggested first questions.', { max: 20 }),
    ),
    ...optional({
      voice: Type.Unknown({ description: 'Voice settings for clients; stored unchanged.' }),
      figure: Type.Unknown({ description: 'Avatar settings for clients; stored unchanged.' }),
    }),
    avatar: setting(avatarField),
    tools: setting(
      mapOf<{ version?: string; running_config?: Record<string, unknown> }>(
        Type.Object(
          optional({
            version: Type.String({ maxLength: 100, format: 'text' }),
            running_config: anyObject('How the tool is executed.'),
          }),
        ),
        { max: limits.agentTools, names: { minLength: 1, maxLength: 64 } },
        'Tools that the model may call, by name. `web_search` needs no configuration; other tools set `running_config`: its `type` is http, workflow, mcp, knowledge or tool (a shared tool, by `id`), and its other fields are those of a tool of an llm node.',
        { web_search: {} },
      ),
    ),
    workflow_id: setting(
      Type.String({
        pattern: idOrEmptyPattern,
        description:
          'The workflow that answers; without one, or with an empty id, the agent answers with a model and its persona.',
        examples: ['wf_hello'],
      }),
    ),
    character_profile: textSetting(
      limits.personaLength,
      'The persona: who the agent is and how it answers. Without it, name and intro are used.',
    ),
    model: textSetting(limits.modelNameLength, 'The model that answers; without it, the default model.'),
    suggest_questions: setting(
      boolean('Whether questions are suggested after each answer. This costs a short model call.'),
    ),
    annotation_threshold: setting(
      numberIn(
        'Minimum similarity of a question to the question of an annotation: the share of common words; 1 requires the same question. Default: 1.',
        [0.5, 1],
        { example: 0.9 },
      ),
    ),
    type: textSetting(100, 'Type of agent, for clients; stored unchanged.'),
  },
  {
    additionalProperties: true,
    description: 'Settings. Unknown keys are stored unchanged.',
    examples: [{ character_profile: 'You are a butler.', prologue: 'At your service.' }],
  },
)

const access = choice(
  ['public', 'private'],
  'public: anyone who knows the id may chat with the agent without a token. private (default): a token is required.',
  { example: 'private' },
)

const allowedOrigins = array(
  Type.String({ maxLength: 255, pattern: originPattern }),
  'Websites that may embed the agent if it is public, and call it from their pages: `https://example.com`, `https://*.example.com` for all its subdomains, or `*` for all. If empty, only pages of this server may.',
  { max: limits.allowedOrigins, example: ['https://example.com'] },
)

const optionalFields = optional({ intro, memory, learn, config, access, allowed_origins: allowedOrigins })

/** The fields that a runner token sees. */
const shownFields = { id: agentId, name, intro, config }
export const listedFields = {
  ...shownFields,
  access,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
}
export const agentFields = { ...listedFields, memory, learn, allowed_origins: allowedOrigins }

const checked = named(
  'CheckedAgent',
  Type.Object({
    ...agentFields,
    warnings: array(
      Type.Object({ path: Type.String(), message: Type.String() }),
      'Problems that do not prevent saving: references to objects that do not exist yet, tools that are ignored, templates with syntax errors.',
      { example: [] },
    ),
  }),
)

const found = mapOf<unknown>(
  Type.Object({
    exist: boolean('Whether the agent exists.'),
    data: Type.Optional(
      Type.Union(
        [named('Agent', Type.Object(agentFields)), named('AgentProfile', Type.Object(shownFields))],
        {
          description: 'The agent; a runner sees only the fields a chat client needs.',
        },
      ),
    ),
  }),
  { max: limits.agentsPerCall, names: {} },
  'The agents by id. The same object is repeated at the top level, next to `data`.',
  { agent_unknown: { exist: false } },
)

export const agentOperations = defineOperations('agent', {
  create: {
    access: 'write',
    changes: { id: 'data.id', shows: ['name', 'access'] },
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
    access: 'write',
    changes: { id: 'body.id', shows: ['name', 'access'] },
    summary: 'Update an agent',
    details:
      'Fields that are not sent keep their values. Keys of `config` are merged one by one, null removes a key; `memory` and `learn` are replaced as a whole.',
    body: Type.Object({ id: agentId, name: Type.Optional(name), ...optionalFields }),
    bodyLimit: limits.messageBytes,
    data: checked,
    example: { id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', access: 'public' },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id' },
    summary: 'Delete an agent with its conversations',
    body: Type.Object({ id: agentId }),
    data: Type.Object({}),
  },
  profile: {
    method: 'GET',
    access: 'public',
    summary: 'Get the public profile of an agent',
    details: 'Agents that are not public are reported as not found, even with a token.',
    query: Type.Object({ agent_id: agentId }),
    data: Type.Object({
      ...{ agent_id: agentId, name, intro },
      avatar: avatarField,
      prologue: string('Greeting to show before the first message; may be empty.', 'At your service.'),
      recommendation_question: array(Type.String(), 'Suggested first questions.', {
        example: ['Where is the key?'],
      }),
      message_types: array(Type.String(), 'Message types that the agent accepts.', {
        example: ['text', 'image', 'file'],
      }),
      max_file_bytes: integer('Maximum size of a file uploaded in a conversation.', 20 << 20),
      max_files: integer('Maximum number of files in a message.', limits.messageFiles),
      variables: variablesField,
    }),
  },
  variables: {
    method: 'GET',
    access: 'public',
    summary: 'List the input variables of the workflow of an agent, for a form before the first message',
    details:
      'Their values are sent as `inputs` of the first message of a conversation. An agent without a workflow has none. A public agent needs no token.',
    query: Type.Object({ agent_id: agentId }),
    data: variablesData,
  },
  visitor: {
    access: 'public',
    summary: 'Get a secret for a new visitor of a public agent',
    details:
      'A client without a token, such as a browser, stores the secret and sends it as `X-Visitor`. Conversations created with it belong to this visitor: other visitors cannot open them. The server stores only a hash of it.',
    body: Type.Object({ agent_id: agentId }),
    data: Type.Object({
      visitor: string('The secret.', 'vis_Zk3xV0m2q1c5b7n9d1f3gAZk3xV0m2q1c5b7n9d1f3g'),
      user_id: string('The user that the visitor acts as, for `{{#sys.user_id#}}`.', 'visitor_Zk3xV0m2q1'),
    }),
  },
  list: {
    access: 'read',
    summary: 'List agents, most recently updated first',
    details: '`config` contains only `workflow_id`, `avatar` and `type`; use agent.gets for the full record.',
    body: Type.Object({
      keyword: Type.Optional(text('Part of the name or id.', [0, limits.nameLength])),
      ...pagingFields,
    }),
    data: pageOf(named('AgentSummary', Type.Object(listedFields))),
    example: { keyword: 'butler', page: 1, page_size: 20 },
  },
  gets: {
    access: 'token',
    summary: 'Get agents by id',
    details:
      'A runner sees only the agents it may chat with, and of those id, name, intro and, in config, prologue, recommendation_question, voice, figure, avatar and type. Tokens without write access see ••• instead of credentials that are written out in tools.',
    body: Type.Object({ id: array(agentId, 'Agent ids.', { min: 1, max: limits.agentsPerCall }) }),
    data: Type.Object({ agents: found }),
    example: { id: ['agent_Zk3xV0m2q1c5b7n9d1f3gA'] },
  },
})
