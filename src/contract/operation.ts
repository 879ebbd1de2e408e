import type { TSchema } from 'typebox'

/** `anyone` needs no token, `public` none if the agent is public, and `token` any. */
export type Access = 'anyone' | 'public' | 'token' | 'run' | 'read' | 'write' | 'admin' | 'operator'

export const families = {
  workflow: 'Workflows: graphs of nodes and edges, with versions and runs.',
  agent: 'Agents answer with a model, a persona, knowledge and tools, or by running a workflow.',
  annotation: 'Annotations: answers that an agent gives to known questions without a model.',
  conversation: 'Conversations with agents. Responses are flat: their fields are next to `code` and `msg`.',
  knowledge: 'Knowledge bases: documents searchable by keywords and by meaning.',
  files: 'Files of any type. Identical content is stored once per workspace.',
  mcp: 'Agents, workflows and knowledge for clients of the Model Context Protocol.',
  tool: 'Tools that other servers offer to agents and workflows.',
  model: 'Language models of the workspace, in addition to the model of the server settings.',
  secret: 'Secrets of the workspace, which requests of nodes and tools use by name.',
  test: 'Test sets of workflows and agents: cases with checks, run against the draft and the published version.',
  trigger:
    'Triggers start runs of a workflow: schedules by the clock, webhooks by a request of another system.',
  usage: 'Usage statistics: runs, tokens and run time by day.',
  token: 'Access tokens of a workspace.',
  workspace: 'Isolated tenants of one server.',
  openai:
    'OpenAI-compatible API for clients of other projects: their base URL is `/v1`, their API key is a token, their model is an agent. Requests, responses and errors have the shapes of OpenAI.',
  presence: 'Presence: who else has a workflow or an agent open in the console.',
  audit: 'The audit log: who changed what in the workspace.',
  server: 'The server itself: pages, health checks, metrics.',
}
type Family = keyof typeof families

/** How a change of an operation is described in the audit log. */
export interface Change {
  /** Where the ids of the changed objects are: in the request, in the response, or in what the transaction returned. */
  id: `${'body' | 'params' | 'data' | 'stored'}.${string}`
  /** Members of the request, or else of the result, whose values are logged; of others only the name. Never a secret. */
  shows?: readonly string[]
  /** All transactions of the operation are committed as one. */
  inOneTransaction?: true
  /** The operation changes nothing, but takes much data out of the workspace. Without an id the entry is about `all`. */
  isRead?: true
}

/** One operation of the API. The same schemas validate it and describe it in /openapi.json and /docs. */
export interface Operation {
  name: string
  family: Family
  method: 'GET' | 'POST'
  path: string
  access: Access
  summary: string
  /** Further explanation in the reference, without Markdown blocks. */
  details?: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Maximum bytes of a JSON body, if not the default. */
  bodyLimit?: number
  /** Maximum number of values in a JSON body, if not the default. */
  bodyValues?: number
  /** The handler reads the body itself, as a stream. */
  streamsBody?: boolean
  /** Content types of such a body, if it is not a file. */
  bodyTypes?: readonly string[]
  /** Accepts an Idempotency-Key, so that a retry is safe. */
  creates?: boolean
  /** The changes of the operation are in the audit log. */
  changes?: Change
  /** With `stream` in the body the response is text/event-stream. */
  streams?: boolean
  /** The data of one event of such a response, which is JSON. */
  events?: TSchema
  headers?: Record<string, string>
  /** `data` of the response; absent if the response is not an envelope. */
  data?: TSchema
  /** `data` of a response with the status 202, where the work goes on. */
  accepted?: TSchema
  /** Content type of a response that is not an envelope. */
  answers?: string
  /** A body; by default its required fields, each with its own example. */
  example?: unknown
}

export const basePath = '/api/v1'
/** The base path of the OpenAI-compatible API. */
export const openaiPath = '/v1'

/** An operation without what follows from its family and key. */
type Definition = Omit<Operation, 'family' | 'name' | 'method' | 'path'> & { method?: 'GET'; path?: string }

type Defined<Name extends Family, Definitions> = {
  readonly [Key in keyof Definitions & string]: Definitions[Key] & {
    family: Name
    name: `${Name}.${Key}`
    method: Definitions[Key] extends { method: 'GET' } ? 'GET' : 'POST'
    path: Definitions[Key] extends { path: infer Path } ? Path : `${typeof basePath}/${Name}/${Key}`
  }
}

type Hinted = Readonly<Record<string, { examples?: unknown[]; default?: unknown; enum?: unknown[] }>>

function exampleOf(body: TSchema): Record<string, unknown> {
  const { properties = {}, required = [] } = body as { properties?: Hinted; required?: string[] }
  const fields = required.map(name => {
    const { examples, default: preset, enum: values } = properties[name]!
    return [name, examples?.[0] ?? preset ?? values?.[0]] as const
  })
  return Object.fromEntries(fields)
}

/** `create` of `agent` is agent.create and POST /api/v1/agent/create, unless it declares another method or path. */
export function defineOperations<Name extends Family, const Definitions extends Record<string, Definition>>(
  family: Name,
  definitions: Definitions,
): Defined<Name, Definitions> {
  const operations = Object.entries(definitions).map(([key, definition]) => {
    const defaults = { method: 'POST', path: `${basePath}/${family}/${key}` }
    const example = definition.body && exampleOf(definition.body)
    return [key, { family, name: `${family}.${key}`, ...defaults, example, ...definition }]
  })
  return Object.fromEntries(operations)
}

/** `data` is the whole response, without an envelope, as clients of OpenAI expect it. */
export const isPlain = ({ family }: Operation): boolean => family === 'openai'

/** The fields of `data` are at the top level of a response, next to `code` and `msg`. */
export const isFlat = ({ family }: Operation): boolean => family === 'conversation'
