import { Ajv, type ValidateFunction } from 'ajv'

export type Schema = Record<string, unknown>

export interface Field {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}

export interface FuzzOperation {
  name: string
  method: string
  path: string
  access: string
  fields: Field[]
  body: Schema | undefined
  example: unknown
  /** Accepts multipart and raw bytes besides JSON. */
  takesFiles: boolean
  /** Validates the body of a successful response; undefined where that is not JSON. */
  checkSuccess: ValidateFunction | undefined
}

export interface Interface {
  operations: FuzzOperation[]
  /** The meaning of each published code. */
  codes: ReadonlySet<number>
  reasons: ReadonlySet<string>
  schemas: Record<string, Schema>
}

interface Described {
  operationId: string
  'x-access': string
  parameters: Field[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

interface GraphSchema {
  properties: { nodes: { items: { properties: { data: Schema } } } }
}

const pointer = (...segments: string[]): string =>
  segments
    .map(segment => `/${encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('')

/** Settings of unknown kinds are stored unchanged; the published schemas are those of known kinds. */
function withoutNodeSettings(document: Document): Document {
  const copy = structuredClone(document)
  const graph = copy.components.schemas['Graph'] as unknown as GraphSchema
  graph.properties.nodes.items.properties.data = { type: 'object' }
  return copy
}

/** Read from the OpenAPI document of the server, so that new operations are fuzzed automatically. */
export async function readInterface(base: string): Promise<Interface> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajv.addSchema(withoutNodeSettings(document), 'api')
  const operations: FuzzOperation[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      const content = described.requestBody?.content ?? {}
      const json = content['application/json']
      const isJson = described.responses['200']!.content['application/json'] !== undefined
      const place = pointer(
        'paths',
        path,
        method,
        'responses',
        '200',
        'content',
        'application/json',
        'schema',
      )
      operations.push({
        name: described.operationId,
        method: method.toUpperCase(),
        path,
        access: described['x-access'],
        fields: described.parameters,
        body: json?.schema,
        example: json?.example,
        takesFiles: content['multipart/form-data'] !== undefined,
        checkSuccess: isJson ? ajv.getSchema(`api#${place}`) : undefined,
      })
    }
  const failure = document.components.schemas['Failure'] as {
    properties: { code: { enum: number[] }; data: { properties: { reason: { enum: string[] } } } }
  }
  return {
    operations,
    codes: new Set(failure.properties.code.enum),
    reasons: new Set(failure.properties.data.properties.reason.enum),
    schemas: document.components.schemas,
  }
}
