import Type, { type Static, type TSchema } from 'typebox'
import { basePath, type Operation } from './operation.ts'

/** Words for people, in both languages of the console. */
const words = (description: string) => Type.Object({ en: Type.String(), zh: Type.String() }, { description })

/** A field holds a shape, and a shape may hold fields: each refers to the other by its published name. */
const fieldShown = Type.Unsafe<object>({ type: 'object', 'x-schema': 'KindField' })
const shapeShown = (description: string) =>
  Type.Unsafe<object>({ type: 'object', 'x-schema': 'KindShape', description })

const kindField = Type.Object(
  {
    name: Type.String({ description: 'Key in `data`.', examples: ['prompt_template'] }),
    label: words('What people call it.'),
    help: Type.Union([words('What it does.'), Type.Null()], { description: 'What it does, or null.' }),
    required: Type.Boolean({ description: 'Whether it must be set before the node can run.' }),
    shape: shapeShown('What its value must be.'),
  },
  { description: 'A field of the settings of a node.' },
)

const kindShape = Type.Object(
  {
    is: Type.Enum(
      ['text', 'template', 'tree', 'number', 'boolean', 'anything', 'list', 'dictionary', 'object'],
      {
        description:
          'template: a text with references; tree: JSON whose texts have references; anything: JSON.',
      },
    ),
    of: Type.Optional(shapeShown('Of each element of a list, or of each value of a dictionary.')),
    fields: Type.Optional(Type.Array(fieldShown, { description: 'Of an object.' })),
    options: Type.Optional(
      Type.Array(Type.Object({ value: Type.String(), label: words('What people call it.') }), {
        description: 'The only texts that mean something here.',
      }),
    ),
    input: Type.Optional(
      Type.Enum(['line', 'paragraph', 'code', 'json', 'model', 'knowledge', 'workflow', 'address'], {
        description: 'How a form best asks for it.',
      }),
    ),
  },
  { description: 'What a value must be.', examples: [{ is: 'template', input: 'paragraph' }] },
)

/** What the reference shows once and refers to by name. */
export const kindSchemas = { KindField: kindField, KindShape: kindShape }

const kindRecord = Type.Object({
  kind: Type.String({ description: 'Value of `data.type`.', examples: ['llm'] }),
  node_type: Type.Enum(['base', 'tool', 'embody'], { description: 'The `type` of such a node.' }),
  group: Type.Enum(['talk', 'model', 'logic', 'data', 'tools'], { description: 'Where a palette lists it.' }),
  title: words('What people call it.'),
  about: words('What it does.'),
  fields: Type.Array(fieldShown, { description: 'Known fields of `data`.' }),
  outputs: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Names that other nodes can refer to, before anything is set; null: any name.',
  }),
  branches: Type.Boolean({ description: 'Whether edges that leave it name a case.' }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Settings that a new node begins with.',
  }),
})

export type Words = { en: string; zh: string }
export type KindRecord = Omit<Static<typeof kindRecord>, 'fields'> & { fields: KindField[] }
export interface KindField {
  name: string
  label: Words
  help: Words | null
  required: boolean
  shape: KindShape
}
export interface KindShape {
  is: 'text' | 'template' | 'tree' | 'number' | 'boolean' | 'anything' | 'list' | 'dictionary' | 'object'
  of?: KindShape
  fields?: KindField[]
  options?: { value: string; label: Words }[]
  input?: 'line' | 'paragraph' | 'code' | 'json' | 'model' | 'knowledge' | 'workflow' | 'address'
}

export interface KindsData {
  kinds: KindRecord[]
  /** Fields that every node may have besides. */
  common: KindField[]
  /** What can be referred to as sys.… */
  system: { name: string; about: Words }[]
}

export const kindOperations = {
  kinds: {
    family: 'workflow',
    name: 'workflow.kinds',
    method: 'GET',
    path: `${basePath}/workflow/kinds`,
    access: 'read',
    summary: 'The kinds of nodes, with all that an editor needs to offer them',
    details: 'The same for everybody. The ETag changes only with the version of the server.',
    headers: { 'If-None-Match': 'ETag of the copy you have.' },
    data: Type.Unsafe<KindsData>(
      Type.Object({
        kinds: Type.Array(kindRecord),
        common: Type.Array(fieldShown, { description: 'Fields that every node may have besides.' }),
        system: Type.Array(Type.Object({ name: Type.String(), about: words('What it holds.') }), {
          description: 'What can be referred to as `sys.…`.',
        }),
      }) as TSchema,
    ),
  },
} as const satisfies Record<string, Operation>
