import type { KindField, KindShape, LocalizedText } from '../../../../../src/contract/kind-operations.ts'

export type SourceType = 'knowledge' | 'web_search' | 'workflow' | 'tool' | 'http' | 'mcp'

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
const oauthField = field(
  'oauth',
  { en: 'OAuth', zh: 'OAuth 凭据' },
  {
    is: 'object',
    fields: [
      field('client_id', { en: 'Client ID', zh: '客户端 ID' }, { is: 'template', input: 'line' }),
      field(
        'client_secret',
        { en: 'Client secret', zh: '客户端密钥' },
        { is: 'template', input: 'line', secrets: true },
        { en: 'As {{#secret.name#}}.', zh: '请写成 {{#secret.名称#}}。' },
      ),
      field(
        'issuer',
        { en: 'Issuer', zh: '颁发者' },
        { is: 'template', input: 'line' },
        {
          en: 'URL of the authorization server. The credentials are sent nowhere else.',
          zh: '授权服务器的地址，凭据只会发送到这里。',
        },
      ),
      field(
        'scope',
        { en: 'Scope', zh: '权限范围' },
        { is: 'template', input: 'line' },
        { en: 'Separated by spaces.', zh: '以空格分隔。' },
      ),
    ],
  },
  {
    en: 'Client credentials, for a server that requires OAuth.',
    zh: '客户端凭据，用于要求 OAuth 的服务。',
  },
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
  tool: {
    title: { en: 'Shared tool', zh: '共享工具' },
    fields: [
      field(
        'id',
        { en: 'Shared tool', zh: '共享工具' },
        { is: 'template', input: 'tool' },
        { en: 'One of the page Tools.', zh: '“工具”页面中的工具。' },
        true,
      ),
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
      oauthField,
      field(
        'tools',
        { en: 'Tools', zh: '工具' },
        { is: 'list', of: { is: 'template', input: 'mcp_tool' } },
        { en: 'All tools of the server if empty.', zh: '留空则使用服务器的全部工具。' },
      ),
    ],
  },
}

export const isSourceType = (type: unknown): type is SourceType =>
  typeof type === 'string' && Object.hasOwn(sourceTypes, type)
