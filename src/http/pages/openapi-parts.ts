import type { Access } from '../../contract/operation.ts'
import type { OpenapiDocument } from '../openapi.ts'

/** The words of JSON Schema that the contract uses. */
export interface JsonSchema {
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
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

export interface MediaType {
  schema?: JsonSchema
  example?: unknown
}

interface ResponsePart {
  description: string
  content?: Record<string, MediaType>
}

export interface PathOperation {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description: string
  'x-access': Access
  security: unknown[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, ResponsePart>
}

/** Every operation of a document, in its order. */
export const operationsOf = (document: OpenapiDocument): PathOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        ({ ...operation, method: method.toUpperCase(), path }) as unknown as PathOperation,
    ),
  )

export const schemasOf = (document: OpenapiDocument): Record<string, JsonSchema> =>
  (document.components['schemas'] ?? {}) as Record<string, JsonSchema>

/** The name in `#/components/schemas/<name>`. */
export const referencedName = (schema: JsonSchema): string | undefined =>
  schema.$ref?.slice('#/components/schemas/'.length)
