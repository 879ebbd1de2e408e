import type { KindField, KindShape, LocalizedText } from '../../../../../src/contract/kind-operations.ts'

/** The field of a node that lists the sources of its model. */
export const sourcesField = '数据源/API工具'

export type SourceType = 'knowledge' | 'web_search' | 'workflow' | 'http' | 'mcp'

const field = (
  name: string,
  label: LocalizedText,
  shape: KindShape,
  help?: LocalizedText,
  required = false,
): KindField => ({
  name,
  label,
  help: help ?? null,
  required,
  shape,
})

const nameField = field(
  'name',
  { en: 'Name', zh: '名称' },
  { is: 'template', input: 'line' },
  {
    en: 'What the model calls the tool: letters, digits, _ and -.',
    zh: '模型调用时使用的名称：字母、数字、_ 和 -。',
  },
)
const aboutField = field(
  'description',
  { en: 'Description', zh: '说明' },
  { is: 'template', input: 'paragraph' },
  { en: 'Tells the model when to use it.', zh: '告诉模型什么时候使用它。' },
)
const parametersField = field(
  'parameters',
  { en: 'Parameters', zh: '参数' },
  { is: 'tree', input: 'json' },
  {
    en: 'What the model fills in, as a JSON schema or as a list of {name, type, description, required}.',
    zh: '由模型填写的参数：JSON Schema，或 {name, type, description, required} 的列表。',
  },
)
const headersField = field(
  'headers',
  { en: 'Headers', zh: '请求头' },
  { is: 'dictionary', of: { is: 'template', input: 'line', secrets: true } },
  { en: 'Write keys as {{#secret.name#}}.', zh: '密钥请写成 {{#secret.名称#}}。' },
)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
const addressField = (help: LocalizedText): KindField =>
  field('url', { en: 'Address', zh: '地址' }, { is: 'template', input: 'address', secrets: true }, help, true)

/** The settings of each source type; the server's form of a source has no schema. */
export const sourceTypes: Readonly<
  Record<SourceType, { title: LocalizedText; fields: readonly KindField[] }>
> = {
  knowledge: {
    title: { en: 'Knowledge base', zh: '知识库' },
    fields: [
      field(
        'id',
        { en: 'Knowledge base', zh: '知识库' },
        { is: 'template', input: 'knowledge' },
        undefined,
        true,
      ),
    ],
  },
  web_search: { title: { en: 'Web search', zh: '联网搜索' }, fields: [] },
  workflow: {
    title: { en: 'Workflow', zh: '工作流' },
    fields: [
      field('id', { en: 'Workflow', zh: '工作流' }, { is: 'template', input: 'workflow' }, undefined, true),
      nameField,
      aboutField,
      parametersField,
    ],
  },
  http: {
    title: { en: 'HTTP tool', zh: 'HTTP 工具' },
    fields: [
      nameField,
      aboutField,
      field(
        'method',
        { en: 'Method', zh: '方法' },
        {
          is: 'text',
          options: methods.map(value => ({ value, label: { en: value, zh: value } })),
        },
      ),
      addressField({
        en: 'The model fills in what stands in braces: https://example.com/items/{id}.',
        zh: '花括号中的部分由模型填写：https://example.com/items/{id}。',
      }),
      headersField,
      parametersField,
    ],
  },
  mcp: {
    title: { en: 'MCP server', zh: 'MCP 服务' },
    fields: [
      addressField({ en: 'Where the server is reached by HTTP.', zh: 'MCP 服务的 HTTP 地址。' }),
      headersField,
      field(
        'tools',
        { en: 'Tools', zh: '工具' },
        { is: 'list', of: { is: 'template', input: 'line' } },
        {
          en: 'Only these of its tools; all of them where none is named.',
          zh: '只提供列出的工具；不填则全部提供。',
        },
      ),
    ],
  },
}

export const isSourceType = (type: unknown): type is SourceType =>
  typeof type === 'string' && Object.hasOwn(sourceTypes, type)
