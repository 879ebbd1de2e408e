import Type, { type TSchema } from 'typebox'
import { isAllowed } from '../access/permissions.ts'
import { roles } from '../contract/access-operations.ts'
import { errorCodes } from '../contract/error-codes.ts'
import { optional, string } from '../contract/fields.ts'
import { graphSchema } from '../contract/graph-schema.ts'
import { kindSchemas } from '../contract/kind-operations.ts'
import { knowledgeSchemas } from '../contract/knowledge-records.ts'
import { limits } from '../contract/limits.ts'
import { type Access, families, isFlat, type Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import { workflowOperations } from '../contract/workflow-operations.ts'

type Json = Record<string, unknown>

/** Who may use an operation; the roles come from the rule that authorizes requests. */
export function accessSentence(access: Access): string {
  if (access === 'anyone') return 'No token required.'
  if (access === 'operator') return "Requires the operator's token, the one of the first start."
  if (access === 'public')
    return 'No token required if the agent is public; a private agent requires a token of its workspace.'
  const names = roles.filter(role => isAllowed({ role, operator: false }, access))
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
  return `Requires a token with the role ${list}.`
}

/** Resolves `x-schema` to a reference and removes the internal format `text`. */
function publish(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(publish)
  if (typeof schema !== 'object' || schema === null) return schema
  const { 'x-schema': name, ...rest } = schema as Json
  if (typeof name === 'string')
    return {
      $ref: `#/components/schemas/${name}`,
      ...(rest['description'] ? { description: rest['description'] } : {}),
    }
  return Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) =>
      key === 'format' && value === 'text' ? [] : [[key, publish(value)]],
    ),
  )
}

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: string[]
}

function parameters(operation: Operation): Json[] {
  const fields = (schema: unknown, place: string): Json[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description: (property as { description?: string }).description,
      schema: publish(property),
    }))
  }
  const headers = Object.entries({
    ...operation.headers,
    ...(operation.creates && {
      'Idempotency-Key': `Up to ${limits.idempotencyKeyLength} characters; a retry within ${limits.idempotencyHours} hours returns the first response.`,
    }),
    ...(operation.access !== 'anyone' && {
      'X-TraceId': 'Your own trace id; it is returned and logged.',
    }),
  }).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
  return [...fields(operation.params, 'path'), ...fields(operation.query, 'query'), ...headers]
}

/** Uploads without base64. */
const fileContent: Record<string, Json> = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { contentMediaType: 'application/octet-stream' } },
    },
  },
  'application/octet-stream': {},
}

function requestBody(operation: Operation): Json | undefined {
  if (!operation.body) return undefined
  const json = {
    schema: publish(operation.body),
    ...(operation.example === undefined ? {} : { example: operation.example }),
  }
  const content = { ...(operation.streamsBody && fileContent), 'application/json': json }
  const required = ((operation.body as ObjectSchema).required ?? []).length > 0
  return { required, content }
}

/** Responses without an envelope. Binary content has no schema. */
const plainContent: Record<string, Json> = {
  'application/json': { schema: { type: 'object' } },
  'application/octet-stream': {},
}

const success = (operation: Operation): Json => {
  if (!operation.data) {
    const type = operation.answers ?? 'application/json'
    return {
      description: 'The content.',
      content: { [type]: plainContent[type] ?? { schema: { type: 'string' } } },
    }
  }
  return {
    description: 'Success.',
    content: {
      ...(operation.streams && { 'text/event-stream': { schema: { type: 'string' } } }),
      'application/json': { schema: envelope(operation, operation.data) },
    },
  }
}

function envelope(operation: Operation, data: TSchema): Json {
  const published = publish(data) as Json & ObjectSchema
  if (!isFlat(operation))
    return {
      type: 'object',
      required: ['code', 'message', 'data'],
      properties: { code: { const: 0 }, message: { const: 'success' }, data: published },
    }
  return {
    type: 'object',
    required: ['code', 'msg', ...(published.required ?? [])],
    properties: { code: { const: 0 }, msg: { const: 'success' }, ...published.properties },
  }
}

const failure = (operation: Operation): Json => ({
  description: 'Error; see `code`.',
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${isFlat(operation) ? 'FlatFailure' : 'Failure'}` },
    },
  },
})

const code = Type.Integer({ enum: Object.values(errorCodes).map(({ code }) => code) })
const reason = Type.String({ enum: Object.keys(errorCodes) })
const errors = Type.Array(Type.Object({ path: string('JSON pointer to the field.'), message: Type.String() }))
const anyArray = (description: string) => Type.Unsafe<unknown[]>({ type: 'array', description })

const failureSchemas = {
  Failure: Type.Object({ code, message: Type.String(), data: Type.Object({ reason, errors }) }),
  FlatFailure: Type.Object({
    code,
    msg: Type.String(),
    reason,
    errors,
    conversation_id: string('The conversation_id of the request.'),
    retrieve_data: anyArray('Always empty.'),
    ...optional({
      chat_id: string('Present if a turn failed.'),
      run_id: string('Present if a turn failed.'),
      feedback: anyArray('Replies of the failed turn.'),
    }),
  }),
}

/** 200, and what conditional and range requests return. */
function responses(operation: Operation): Json {
  const asked = operation.headers ?? {}
  const done = success(operation)
  if (operation.method !== 'GET' || !('If-None-Match' in asked))
    return { 200: done, default: failure(operation) }
  const headers = {
    ETag: { description: 'For If-None-Match and If-Match.', schema: { type: 'string' } },
  }
  return {
    200: { ...done, headers },
    ...('Range' in asked && { 206: { ...done, description: 'The requested range.', headers } }),
    304: { description: 'Not modified.', headers },
    default: failure(operation),
  }
}

/** An empty entry means that the token is optional. */
const securityOf = (access: Access): Json[] =>
  access === 'anyone' ? [] : access === 'public' ? [{ token: [] }, {}] : [{ token: [] }]

const describe = (operation: Operation): Json => ({
  operationId: operation.name,
  tags: [operation.family],
  summary: operation.summary,
  description: [operation.details, accessSentence(operation.access)].filter(Boolean).join('\n\n'),
  'x-access': operation.access,
  security: securityOf(operation.access),
  parameters: parameters(operation),
  ...(operation.body && { requestBody: requestBody(operation) }),
  responses: responses(operation),
})

export interface OpenapiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Json>>
  components: Json
}

/** The whole API as OpenAPI 3.1, from the schemas that validate requests. */
export function openapiDocument(list: readonly Operation[] = operations): OpenapiDocument {
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of list) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = describe(operation)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banyan',
      version: '1',
      description:
        'API of the Banyan agent platform: agents, conversations, workflows, knowledge bases, files and access.',
    },
    tags: Object.entries(families).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Graph: { ...(publish(graphSchema) as Json), examples: [workflowOperations.update.example.workflow] },
        ...(publish({ ...kindSchemas, ...knowledgeSchemas }) as Json),
        ...failureSchemas,
      },
    },
  }
}
