import { errorCodes } from '../contract/error-codes.ts'
import { graphSchema } from '../contract/graph-schema.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'

type Json = Record<string, unknown>

/** Placeholders of the contract become references, and the checker's own format stays out. */
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
      'Idempotency-Key': 'Up to 255 characters; the first answer is given again for 24 hours.',
    }),
    ...(operation.access !== 'anyone' && {
      'X-TraceId': 'Your own id for this request; it is echoed and logged.',
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

function requestBody(operation: Operation): Json | undefined {
  if (!operation.body) return undefined
  const json = {
    schema: publish(operation.body),
    ...(operation.example === undefined ? {} : { example: operation.example }),
  }
  const content: Json = { 'application/json': json }
  if (operation.streamsBody) {
    content['multipart/form-data'] = {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
    }
    content['application/octet-stream'] = { schema: { type: 'string', format: 'binary' } }
  }
  const required = ((operation.body as ObjectSchema).required ?? []).length > 0
  return { required, content }
}

const success = (operation: Operation): Json => {
  if (!operation.data) {
    const type = operation.answers ?? 'application/json'
    return {
      description: 'The content.',
      content: { [type]: { schema: type === 'application/json' ? { type: 'object' } : { type: 'string' } } },
    }
  }
  return {
    description: 'Done.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['code', 'message', 'data'],
          properties: { code: { const: 0 }, message: { type: 'string' }, data: publish(operation.data) },
        },
      },
    },
  }
}

const failure = {
  description: 'It failed; `code` says why.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
}

const failureSchema = {
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { type: 'integer', enum: Object.values(errorCodes).map(({ code }) => code) },
    message: { type: 'string' },
    data: {
      type: 'object',
      required: ['reason', 'errors'],
      properties: {
        reason: { type: 'string', enum: Object.keys(errorCodes) },
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string', description: 'JSON pointer to the field.' },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
}

const describe = (operation: Operation): Json => ({
  operationId: operation.name,
  tags: [operation.family],
  summary: operation.summary,
  description: [operation.details, `Access: ${operation.access}.`].filter(Boolean).join(' '),
  'x-access': operation.access,
  security: operation.access === 'anyone' ? [] : [{ token: [] }],
  parameters: parameters(operation),
  ...(operation.body && { requestBody: requestBody(operation) }),
  responses: { 200: success(operation), default: failure },
})

export interface OpenapiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Json>>
  components: Json
}

/** The whole interface as OpenAPI 3.1, from the schemas that validate it. */
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
      description: 'Workflows, knowledge bases, files and conversations with agents.',
    },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Graph: publish(graphSchema), Failure: failureSchema },
    },
  }
}
