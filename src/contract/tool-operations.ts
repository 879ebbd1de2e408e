import {
  anyObject,
  array,
  boolean,
  choice,
  id,
  integer,
  named,
  optional,
  orNull,
  string,
  text,
  time,
} from './fields.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { idPattern } from './patterns.ts'
import { Type } from './schema.ts'
import { usersOf } from './used-by.ts'

const headers = Type.Record(Type.String(), Type.String(), {
  description: 'Headers of the requests, by name. Credentials are references such as {{#secret.name#}}.',
  maxProperties: 50,
})
const oauth = Type.Object({
  client_id: text('Client id.', [1, limits.addressLength]),
  client_secret: text('Client secret.', [1, limits.addressLength]),
  issuer: text('URL of the authorization server; the credentials are sent only there.', [
    1,
    limits.addressLength,
  ]),
  scope: Type.Optional(text('Scopes, separated by spaces.', [0, limits.addressLength])),
})
const placeNames = ['query', 'header', 'body'] as const
const places = Type.Record(
  Type.String(),
  choice(placeNames, 'query: in the URL; header: as a header of this name; body: the whole body.'),
  {
    description:
      'Where arguments of an HTTP tool are sent, by name. Other arguments fill placeholders of the URL, or go into the query for GET, HEAD and DELETE, otherwise into a JSON body.',
    maxProperties: 200,
    examples: [{ limit: 'query' }],
  },
)

const toolId = id('Tool id.', 'tool_Zk3xV0m2q1c5b7n9d1f3gA')
const toolName = Type.String({
  pattern: idPattern,
  description: 'Name that models see: letters, digits, _ and -. Unique in the workspace.',
  examples: ['weather'],
})
const type = choice(['http', 'mcp'], 'http: one endpoint; mcp: tools of an MCP server.')
const url = text(
  'URL of the endpoint or the MCP server. In the URL of an endpoint, {name} is replaced by an argument.',
  [1, limits.addressLength],
  { example: 'https://example.com/weather/{city}' },
)
const settings = {
  description: text('What the tool does, for the model.', [0, 4000], { example: 'Weather of a city' }),
  method: choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'], 'HTTP method.', { default: 'GET' }),
  headers,
  oauth: orNull(oauth, 'Client credentials for an MCP server, or null.'),
  parameters: anyObject('JSON Schema of the arguments of an HTTP tool.', {
    type: 'object',
    properties: { city: { type: 'string' } },
  }),
  places,
  tools: array(
    Type.String({ maxLength: 200 }),
    'The tools of an MCP server that are offered; all if empty.',
    {
      max: 200,
    },
  ),
}

/** The settings of a tool that a request may change. */
export const toolSettings = { url, ...settings }

export const sharedToolRecord = {
  id: toolId,
  name: toolName,
  type,
  ...toolSettings,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  updated_by: string('Name of the token that last changed it.', 'My application'),
}
const sharedTool = named('SharedTool', Type.Object(sharedToolRecord))

export const importedTool = Type.Object({
  name: string('Proposed name.', 'get_weather'),
  description: string('What it does.', 'Weather of a city'),
  method: string('HTTP method.', 'GET'),
  url: string('URL with placeholders.', 'https://example.com/weather'),
  headers: anyObject<Record<string, string>>('Headers, with references to secrets.'),
  parameters: anyObject('JSON Schema of the arguments.'),
  places: anyObject<Record<string, (typeof placeNames)[number]>>('Where arguments are sent, by name.'),
  notes: array(Type.String(), 'Parts of the operation that were not imported.'),
})

export const toolOperations = defineOperations('tool', {
  inspect: {
    access: 'write',
    summary: 'List the tools of an MCP server',
    details:
      'Connects to the server as a node or an agent would. If the connection fails, the call fails with step_failed and the reason. URL, headers and the client secret may contain references such as {{#secret.name#}}.',
    body: Type.Object({
      url: text('HTTP address of the MCP server.', [1, limits.addressLength], {
        example: 'https://tools.example.com/mcp',
      }),
      ...optional({ headers, oauth }),
    }),
    data: Type.Object({
      name: string('Name of the server.', 'weather'),
      version: string('Version of the server.', '1.0.0'),
      protocol_version: string('Negotiated version of the protocol.', '2025-11-25'),
      instructions: string('Instructions of the server.', ''),
      tools: array(
        Type.Object({
          name: string('Name of the tool.', 'forecast'),
          description: string('What the tool does.', 'Weather of the next days'),
          parameters: Type.Unknown({ description: 'JSON Schema of its arguments.' }),
        }),
        'The tools of the server.',
      ),
    }),
  },
  create: {
    access: 'write',
    creates: true,
    changes: { id: 'data.id', shows: ['name', 'type'] },
    summary: 'Create a shared tool',
    details:
      'Agents, and llm and agent nodes, refer to it in their list of tools: `{"type": "tool", "id": "tool_…"}`. Literal credentials are refused; store them as secrets, and refer to them as `{{#secret.name#}}`.',
    body: Type.Object({ name: toolName, type, url, ...optional(settings) }),
    data: sharedTool,
  },
  update: {
    access: 'write',
    changes: { id: 'body.id', shows: ['name'] },
    summary: 'Change a shared tool',
    details:
      'Omitted fields keep their values. A tool can be renamed, because references use its id. The change applies from the next step on.',
    body: Type.Object({ id: toolId, ...optional({ name: toolName, url, ...settings }) }),
    data: sharedTool,
    example: { id: 'tool_Zk3xV0m2q1c5b7n9d1f3gA', description: 'Weather of a city' },
  },
  get: {
    access: 'read',
    summary: 'Get a shared tool',
    body: Type.Object({ id: toolId }),
    data: sharedTool,
  },
  list: {
    access: 'read',
    summary: 'List shared tools by name',
    body: Type.Object({
      ...optional({ keyword: text('Part of the name, the description or the URL.', [0, limits.nameLength]) }),
      ...pagingFields,
    }),
    data: pageOf(sharedTool),
    example: { page: 1, page_size: 20 },
  },
  usedBy: {
    method: 'GET',
    path: `${basePath}/tool/used_by`,
    access: 'read',
    summary: 'List the agents and workflows that use a shared tool',
    details: `Agents and workflows (by their newest or published version), up to ${limits.usersPerKind} of each kind.`,
    query: Type.Object({ id: toolId }),
    data: usersOf(['agent', 'workflow']),
  },
  delete: {
    access: 'write',
    changes: { id: 'body.id', shows: ['force'] },
    summary: 'Delete a shared tool',
    details:
      'Fails with in_use while an agent or workflow refers to the tool, unless `force` is true: then their steps fail until another tool is chosen.',
    body: Type.Object({
      id: toolId,
      force: Type.Optional(boolean('Also delete a tool that is in use.')),
    }),
    data: Type.Object({}),
  },
  try: {
    access: 'write',
    summary: 'Call a tool once, and return the request and the response',
    details:
      'Calls the server as a model would, so it may change something there. Without `id`, send the settings of a tool that is not stored; with `id`, they override the settings of the stored tool. If the tool cannot be called, this operation still succeeds, and `error` has the reason. Values of secrets are masked in the response.',
    body: Type.Object(
      optional({
        id: toolId,
        type,
        url,
        method: settings.method,
        headers,
        oauth: settings.oauth,
        places,
        parameters: settings.parameters,
        tool: text('The tool of an MCP server.', [1, 200], { example: 'forecast' }),
        arguments: anyObject('The arguments, by name.', { city: 'Paris' }),
      }),
    ),
    data: Type.Object({
      request: Type.Object({
        method: string('HTTP method, or tools/call.', 'GET'),
        url: string('URL.', 'https://example.com/weather/Paris'),
        headers: anyObject<Record<string, string>>('Headers.'),
        body: string('Body, or empty.'),
      }),
      answer: Type.Object({
        status: orNull(Type.Integer(), 'HTTP status; null if there is no response, and for an MCP server.'),
        headers: anyObject<Record<string, string>>('Headers.'),
        text: string('The response as text.', '{"weather": "rain"}'),
        truncated: boolean('Whether the response was truncated.'),
      }),
      error: orNull(Type.String(), 'Why there is no response, or null.'),
      elapsed_ms: integer('Duration in milliseconds.', 120),
    }),
    example: { type: 'http', url: 'https://example.com/weather/{city}', arguments: { city: 'Paris' } },
  },
  import: {
    access: 'write',
    summary: 'Read HTTP tools from a curl command or an OpenAPI document',
    details:
      'The document is OpenAPI 3 or Swagger 2, as JSON or YAML. Nothing is stored: store the secrets of the tools you want, then create these tools. Credentials become references to secrets; values found in a command are returned, so that you can store them.',
    body: Type.Object({
      content: text('The command or the document.', [1, limits.graphBytes], {
        example: 'curl https://example.com/weather?city=Paris',
      }),
    }),
    bodyLimit: limits.graphBytes,
    data: Type.Object({
      tools: array(importedTool, 'One tool per operation.'),
      secrets: array(
        Type.Object({
          name: string('Name of the secret that the tools refer to.', 'example_token'),
          value: string('Its value, if the command contains it; otherwise empty.'),
          exists: boolean('Whether the workspace has a secret of this name.'),
        }),
        'Secrets that the tools need.',
      ),
      notes: array(
        Type.String(),
        'Parts of the document that were not imported, in addition to the notes of the tools.',
      ),
    }),
  },
})
