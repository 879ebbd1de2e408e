import { isAllowed } from '../access/permissions.ts'
import { roles } from '../contract/access-operations.ts'
import { errorCodes } from '../contract/error-codes.ts'
import { optional, string } from '../contract/fields.ts'
import { graphSchema } from '../contract/graph-schema.ts'
import { kindSchemas } from '../contract/kind-operations.ts'
import { knowledgeSchemas } from '../contract/knowledge-records.ts'
import { limits } from '../contract/limits.ts'
import { openaiError } from '../contract/openai-records.ts'
import { type Access, families, isFlat, isPlain, type Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import { Type } from '../contract/schema.ts'
import { workflowOperations } from '../contract/workflow-operations.ts'

/** The keywords of JSON Schema that the contract uses. */
type Keyword = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'
export interface JsonSchema extends Partial<Record<Keyword, number>> {
  $ref?: string
  type?: string
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  pattern?: string
  format?: string
}

export interface MediaType {
  schema?: JsonSchema
  example?: unknown
}

interface Response {
  description: string
  headers?: object
  content?: Record<string, MediaType>
}

/** Who may use an operation; the roles come from the rule that authorizes requests. */
export function accessSentence(access: Access): string {
  if (access === 'anyone') return 'No token required.'
  if (access === 'operator') return 'Requires the operator token, which the first start creates.'
  if (access === 'public')
    return 'No token required if the agent is public; a private agent requires a token of its workspace.'
  const names = roles.filter(role => isAllowed({ role, operator: false }, access))
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
  return `Requires a token with the role ${list}.`
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Named schemas become references; the internal format `text` is removed. */
function publish(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(publish)
  if (typeof schema !== 'object' || schema === null) return schema
  const { 'x-name': record, 'x-schema': name, description } = schema as Record<string, unknown>
  if (typeof record === 'string') return referenceTo(record)
  if (typeof name === 'string') return { ...referenceTo(name), ...(description ? { description } : {}) }
  return publishMembers(schema)
}

function publishMembers(schema: object): JsonSchema {
  const members = Object.entries(schema).filter(
    ([key, value]) => key !== 'x-name' && (key !== 'format' || value !== 'text'),
  )
  return Object.fromEntries(members.map(([key, value]) => [key, publish(value)]))
}

/** Every record with a name, wherever it is used. */
function* recordsIn(schema: unknown): Generator<[string, object]> {
  if (typeof schema !== 'object' || schema === null) return
  for (const member of Object.values(schema)) yield* recordsIn(member)
  if ('x-name' in schema) yield [String(schema['x-name']), schema]
}

function recordSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const { params, query, body, data, events } = operation
    // The members of a flat response are next to those of its envelope.
    const answer = isFlat(operation) ? Object.values(data ?? {}) : data
    for (const [name, record] of recordsIn([params, query, body, answer, events])) {
      const schema = publishMembers(record)
      if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(schema))
        throw new Error(`Two records have the name ${name}`)
      schemas[name] = schema
    }
  }
  return schemas
}

const published = (schema: object): JsonSchema => publish(schema) as JsonSchema

const headersOf = ({ headers, creates, access }: Operation): Record<string, string> => ({
  ...headers,
  ...(creates && {
    'Idempotency-Key': `Up to ${limits.idempotencyKeyLength} characters; a retry within ${limits.idempotencyHours} hours returns the first response.`,
  }),
  ...(access !== 'anyone' && { 'X-TraceId': 'Your own trace id; it is returned and logged.' }),
})

function parameters(operation: Operation) {
  const fields = (schema: object | undefined, place: 'path' | 'query' | 'header') => {
    const { properties = {}, required = [] } = published(schema ?? {})
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description: property.description,
      schema: property,
    }))
  }
  const headers = Object.entries(headersOf(operation)).map(([name, description]) => ({
    ...{ name, in: 'header' as const, required: false, description },
    schema: { type: 'string' } as JsonSchema,
  }))
  return [...fields(operation.params, 'path'), ...fields(operation.query, 'query'), ...headers]
}

const binary: JsonSchema = { type: 'string', format: 'binary' }

/** The content types of uploads. JSON with base64 is left out, because generators of clients would choose it. */
const fileContent: Record<string, MediaType> = {
  'multipart/form-data': {
    schema: { type: 'object', required: ['file'], properties: { file: binary } },
  },
  'application/octet-stream': { schema: binary },
}

const plainBodies: Record<string, JsonSchema> = {
  'application/x-www-form-urlencoded': { type: 'object' },
  'text/plain': { type: 'string' },
}

function requestBody({ streamsBody, bodyTypes, example }: Operation, body: JsonSchema) {
  if (streamsBody && !bodyTypes) return { required: true, content: fileContent }
  const json: MediaType = { schema: body, ...(example !== undefined && { example }) }
  const types = (bodyTypes ?? ['application/json']).map(type => {
    const schema = plainBodies[type]
    return [type, schema ? { schema } : json] as const
  })
  const content: Record<string, MediaType> = Object.fromEntries(types)
  return { required: (body.required ?? []).length > 0, content }
}

/** Responses without an envelope. */
const plainContent: Record<string, MediaType> = {
  'application/json': { schema: { type: 'object' } },
  'application/octet-stream': { schema: binary },
}

function success(operation: Operation): Response {
  const { data, answers = 'application/json', events } = operation
  const eventContent = events && { 'text/event-stream': { schema: published(events) } }
  if (!data) {
    const content = eventContent ?? { [answers]: plainContent[answers] ?? { schema: { type: 'string' } } }
    return { description: 'The content.', content }
  }
  const content = {
    ...eventContent,
    'application/json': { schema: envelope(operation, data) },
  }
  return { description: 'Success.', content }
}

function envelope(operation: Operation, data: object): JsonSchema {
  const whole = published(data)
  if (isPlain(operation)) return whole
  const code = { const: 0 }
  const done = { const: 'success' }
  if (!isFlat(operation))
    return {
      type: 'object',
      required: ['code', 'message', 'data'],
      properties: { code, message: done, data: whole },
    }
  const { properties = {}, required = [] } = publishMembers(data)
  return {
    type: 'object',
    required: ['code', 'msg', ...required],
    properties: { code, msg: done, ...properties },
  }
}

const failure = (operation: Operation): Response => {
  const name = isPlain(operation) ? 'OpenaiFailure' : isFlat(operation) ? 'FlatFailure' : 'Failure'
  const schema = { $ref: `#/components/schemas/${name}` }
  return { description: 'Error; see `code`.', content: { 'application/json': { schema } } }
}

const code = Type.Integer({ enum: Object.values(errorCodes).map(({ code }) => code) })
const reason = Type.String({ enum: Object.keys(errorCodes) })
const errors = Type.Array(Type.Object({ path: string('JSON pointer to the field.'), message: Type.String() }))
const anyArray = (description: string) => Type.Array(Type.Unknown(), { description })

const failureSchemas = {
  OpenaiFailure: publishMembers(openaiError),
  Failure: Type.Object({ code, message: Type.String(), data: Type.Object({ reason, errors }) }),
  FlatFailure: Type.Object({
    code,
    msg: Type.String(),
    reason,
    errors,
    conversation_id: string('The conversation_id of the request.'),
    ...optional({
      retrieve_data: anyArray('Of conversation.retrieve; always empty.'),
      chat_id: string('Of conversation.chat; empty where it was not sent and no turn was created.'),
      run_id: string('Present if a turn failed.'),
      feedback: anyArray('Of conversation.chat: replies of the failed turn.'),
    }),
  }),
}

function acceptance(operation: Operation, accepted: object): Response {
  const content = { 'application/json': { schema: envelope(operation, accepted) } }
  return { description: 'Accepted; the run continues.', content }
}

/** The responses: 200 or 202, and those of conditional and range requests. */
function responses(operation: Operation): Record<string, Response> {
  const { headers: asked = {}, accepted } = operation
  const done = success(operation)
  const others = {
    ...(accepted && { 202: acceptance(operation, accepted) }),
    ...{ '4XX': failure(operation), default: failure(operation) },
  }
  if (operation.method !== 'GET' || !('If-None-Match' in asked)) return { 200: done, ...others }
  const headers = {
    ETag: { description: 'For If-None-Match and If-Match.', schema: { type: 'string' } },
  }
  return {
    200: { ...done, headers },
    ...('Range' in asked && { 206: { ...done, description: 'The requested range.', headers } }),
    304: { description: 'Not modified.', headers },
    ...others,
  }
}

/** An empty entry means that the token is optional. */
const securityOf = (access: Access): object[] =>
  access === 'anyone' ? [] : access === 'public' ? [{ token: [] }, {}] : [{ token: [] }]

const describe = (operation: Operation) => ({
  operationId: operation.name,
  tags: [operation.family as string],
  summary: operation.summary,
  description: [operation.details, accessSentence(operation.access)].filter(Boolean).join('\n\n'),
  'x-access': operation.access,
  security: securityOf(operation.access),
  parameters: parameters(operation),
  ...(operation.body && { requestBody: requestBody(operation, published(operation.body)) }),
  responses: responses(operation),
})

export type OpenapiDocument = ReturnType<typeof openapiDocument>

/** The whole API as OpenAPI 3.1, from the schemas that validate requests. */
export function openapiDocument() {
  const paths: Record<string, Record<string, ReturnType<typeof describe>>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation)
  }
  const graph = { ...graphSchema, examples: [workflowOperations.update.example.workflow] }
  const schemas = { Graph: graph, ...kindSchemas, ...knowledgeSchemas, ...failureSchemas }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banyan',
      version: '1',
      description:
        'API of the Banyan agent platform: agents, conversations, workflows, knowledge bases, files and access.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: Object.entries(families).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...(publish(schemas) as Record<string, JsonSchema>), ...recordSchemas() },
    },
  }
}
