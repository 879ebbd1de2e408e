import Type, { type Static, type TSchema } from 'typebox'
import { basePath, type Operation } from './operation.ts'

/** A text in both languages of the console. */
const localizedText = (description: string) =>
  Type.Object({ en: Type.String(), zh: Type.String() }, { description })

/** Fields and shapes contain each other, so each refers to the other by its schema name. */
const fieldRef = Type.Unsafe<object>({ type: 'object', 'x-schema': 'KindField' })
const shapeRef = (description: string) =>
  Type.Unsafe<object>({ type: 'object', 'x-schema': 'KindShape', description })

const kindField = Type.Object(
  {
    name: Type.String({ description: 'Key in `data`.', examples: ['prompt_template'] }),
    label: localizedText('Display name.'),
    help: Type.Union([localizedText('Help text.'), Type.Null()], { description: 'Help text, or null.' }),
    required: Type.Boolean({ description: 'Whether the node cannot run without it.' }),
    shape: shapeRef('Type of its value.'),
  },
  { description: 'A setting of a node.' },
)

const kindShape = Type.Object(
  {
    is: Type.Enum(
      ['text', 'template', 'tree', 'number', 'boolean', 'anything', 'list', 'dictionary', 'object'],
      {
        description:
          'template: text with references; tree: JSON whose strings may contain references; anything: any JSON.',
      },
    ),
    of: Type.Optional(shapeRef('Type of the items of a list, or of the values of a dictionary.')),
    fields: Type.Optional(Type.Array(fieldRef, { description: 'Fields of an object.' })),
    options: Type.Optional(
      Type.Array(Type.Object({ value: Type.String(), label: localizedText('Display name.') }), {
        description: 'Allowed values.',
      }),
    ),
    input: Type.Optional(
      Type.Enum(['line', 'paragraph', 'code', 'json', 'model', 'knowledge', 'workflow', 'address'], {
        description: 'Suggested form input.',
      }),
    ),
  },
  { description: 'Type of a value.', examples: [{ is: 'template', input: 'paragraph' }] },
)

/** Named schemas of the OpenAPI document. */
export const kindSchemas = { KindField: kindField, KindShape: kindShape }

const kindRecord = Type.Object({
  kind: Type.String({ description: 'Value of `data.type`.', examples: ['llm'] }),
  node_type: Type.Enum(['base', 'tool', 'embody'], { description: 'The `type` of a node of this kind.' }),
  group: Type.Enum(['talk', 'model', 'logic', 'data', 'tools'], { description: 'Palette group.' }),
  title: localizedText('Display name.'),
  about: localizedText('Short description.'),
  fields: Type.Array(fieldRef, { description: 'Fields of `data`.' }),
  outputs: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Outputs that other nodes can refer to, with default settings; null: any name.',
  }),
  branches: Type.Boolean({ description: 'Whether outgoing edges name a case.' }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Initial settings of a new node.',
  }),
})

export type LocalizedText = { en: string; zh: string }
export type KindRecord = Omit<Static<typeof kindRecord>, 'fields'> & { fields: KindField[] }
export interface KindField {
  name: string
  label: LocalizedText
  help: LocalizedText | null
  required: boolean
  shape: KindShape
}
export interface KindShape {
  is: 'text' | 'template' | 'tree' | 'number' | 'boolean' | 'anything' | 'list' | 'dictionary' | 'object'
  of?: KindShape
  fields?: KindField[]
  options?: { value: string; label: LocalizedText }[]
  input?: 'line' | 'paragraph' | 'code' | 'json' | 'model' | 'knowledge' | 'workflow' | 'address'
}

export interface KindsData {
  kinds: KindRecord[]
  /** Fields that every node may have. */
  common: KindField[]
  /** Variables available as sys.… */
  system: { name: string; about: LocalizedText }[]
}

export const kindOperations = {
  kinds: {
    family: 'workflow',
    name: 'workflow.kinds',
    method: 'GET',
    path: `${basePath}/workflow/kinds`,
    access: 'read',
    summary: 'List node kinds with their fields, for editors',
    details: 'The same for all workspaces. The ETag changes only with the server version.',
    headers: { 'If-None-Match': 'ETag of your cached copy.' },
    data: Type.Unsafe<KindsData>(
      Type.Object({
        kinds: Type.Array(kindRecord),
        common: Type.Array(fieldRef, { description: 'Fields that every node may have.' }),
        system: Type.Array(Type.Object({ name: Type.String(), about: localizedText('Description.') }), {
          description: 'Variables available as `sys.…`.',
        }),
      }) as TSchema,
    ),
  },
} as const satisfies Record<string, Operation>
