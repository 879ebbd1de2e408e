import type { Static } from 'typebox'
import { anyObject, array, boolean, choice, named, optional, orNull, string } from './fields.ts'
import { defineOperations } from './operation.ts'
import { Type } from './schema.ts'

/** A text in both languages of the console. */
const localizedText = (description: string) =>
  Type.Object({ en: Type.String(), zh: Type.String() }, { description })

/** Fields and shapes contain each other, so each refers to the other by its schema name. */
const fieldRef = Type.Unsafe<KindField>({ type: 'object', 'x-schema': 'KindField' })
const shapeRef = (description: string) =>
  Type.Unsafe<KindShape>({ type: 'object', 'x-schema': 'KindShape', description })

const kindField = Type.Object(
  {
    name: string('Key in `data`.', 'prompt_template'),
    label: localizedText('Display name.'),
    help: orNull(localizedText('Help text.'), 'Help text, or null.'),
    required: boolean('Whether the node cannot run without it.'),
    shape: shapeRef('Type of its value.'),
    ...optional({
      unless: string('Used only where this other field is not set.', 'tool_id'),
      with: string('Used only where this other field is set.', 'tool_id'),
    }),
  },
  { description: 'A setting of a node.' },
)

const kindShape = Type.Object(
  {
    is: choice(
      ['text', 'template', 'tree', 'number', 'boolean', 'anything', 'list', 'dictionary', 'object'],
      'template: text with references; tree: JSON whose strings may contain references; anything: any JSON.',
    ),
    ...optional({
      of: shapeRef('Type of the items of a list, or of the values of a dictionary.'),
      fields: array(fieldRef, 'Fields of an object.'),
      options: array(
        Type.Object({
          value: Type.String(),
          label: localizedText('Display name.'),
          ...optional({ data: anyObject('Settings that a node with this value starts with.') }),
        }),
        'Allowed values.',
      ),
      input: choice(
        [
          ...(['line', 'paragraph', 'code', 'json', 'address'] as const),
          ...(['model', 'knowledge', 'workflow', 'agent', 'tool', 'source'] as const),
          ...(['mcp_tool', 'mcp_arguments'] as const),
        ],
        'Suggested form input. mcp_tool, mcp_arguments: of the shared tool that `tool_id` beside the field names, or the MCP server that `url`, `headers` and `oauth` describe.',
      ),
      secrets: boolean('Whether references to secrets are allowed.'),
      local: string('References that start with this name are values of the node itself.', 'loop'),
    }),
  },
  { description: 'Type of a value.', examples: [{ is: 'template', input: 'paragraph' }] },
)

/** Named schemas of the OpenAPI document. */
export const kindSchemas = { KindField: kindField, KindShape: kindShape }

const kindRecord = named(
  'Kind',
  Type.Object({
    kind: string('Value of `data.type`.', 'llm'),
    node_type: choice(['base', 'tool', 'embody'], 'The `type` of a node of this kind.'),
    group: choice(['talk', 'model', 'logic', 'data', 'tools'], 'Palette group.'),
    title: localizedText('Display name.'),
    about: localizedText('Short description.'),
    fields: array(fieldRef, 'Fields of `data`.'),
    outputs: orNull(
      Type.Array(Type.String()),
      'Outputs that other nodes can refer to, with default settings; null: any name.',
    ),
    branches: boolean('Whether outgoing edges name a case.'),
    data: anyObject('Initial settings of a new node.'),
    ...optional({ data_zh: anyObject('Chinese texts of these settings.') }),
    hidden: boolean('Whether palettes omit it, because users do not add it by hand.'),
  }),
)

export type LocalizedText = { en: string; zh: string }
export type KindRecord = Static<typeof kindRecord>
export interface KindField extends Static<typeof kindField> {}
export interface KindShape extends Static<typeof kindShape> {}
export type KindsData = Static<(typeof kindOperations.kinds)['data']>

export const kindOperations = defineOperations('workflow', {
  kinds: {
    method: 'GET',
    access: 'read',
    summary: 'List node kinds with their fields, for editors',
    details: 'The same for all workspaces. The ETag changes only with the server version.',
    headers: { 'If-None-Match': 'ETag of your cached copy.' },
    data: Type.Object({
      kinds: Type.Array(kindRecord),
      common: array(fieldRef, 'Fields that every node may have.'),
      system: array(
        Type.Object({ name: Type.String(), about: localizedText('Description.') }),
        'Variables available as `sys.…`.',
      ),
    }),
  },
})
