import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input, Select } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { Field } from './field.tsx'
import { KnowledgeSelect } from './knowledge-select.tsx'
import {
  fieldsOf,
  type HeaderRow,
  methods,
  type ToolForm,
  type ToolType,
  toolTypes,
} from './tool-settings.ts'
import { WorkflowSelect } from './workflow-select.tsx'

const useWords = defineWords(
  {
    type: 'Type',
    http: 'HTTP: an API endpoint',
    workflow: 'Workflow: a workflow of this workspace',
    mcp: 'MCP: tools of an MCP server',
    knowledge: 'Knowledge: search a knowledge base',
    description: 'Description',
    descriptionHelp: 'Tells the model when to use the tool.',
    method: 'Method',
    url: 'URL',
    urlHelp: 'The model fills in placeholders in braces, such as {item}. It cannot change the host.',
    parameters: 'Parameters as JSON',
    parametersHelp: 'A JSON Schema, or {"name": "description"}.',
    workflowChoice: 'Workflow',
    knowledgeChoice: 'Knowledge base',
    choose: 'Choose…',
    tools: 'Tools to use',
    toolsHelp: 'All tools of the server if empty.',
  },
  {
    type: '类型',
    http: 'HTTP：某个 API 地址',
    workflow: '工作流：本工作空间的工作流',
    mcp: 'MCP：MCP 服务器提供的工具',
    knowledge: '知识库：检索知识库中的段落',
    description: '说明',
    descriptionHelp: '告诉模型什么时候使用它。',
    method: '方法',
    url: '地址',
    urlHelp: '花括号里的占位符（如 {item}）由模型填写，主机名不会改变。',
    parameters: '参数（JSON）',
    parametersHelp: 'JSON Schema，或 {"名称": "说明"}。',
    workflowChoice: '工作流',
    knowledgeChoice: '知识库',
    choose: '请选择…',
    tools: '使用的工具',
    toolsHelp: '留空则使用服务器的全部工具。',
  },
)

interface ToolFormFieldsProps {
  form: ToolForm
  edit: (change: Partial<ToolForm>) => void
}

/** The fields of a tool, by type. */
export function ToolFormFields({ form, edit }: ToolFormFieldsProps) {
  const words = useWords()
  const has = (field: keyof ToolForm): boolean => fieldsOf[form.type].includes(field)
  return (
    <>
      <Field label={words.type}>
        {id => (
          <Select<ToolType>
            id={id}
            value={form.type}
            options={toolTypes.map(value => ({ value, label: words[value] }))}
            onChange={type => edit({ type, id: '' })}
          />
        )}
      </Field>
      {has('id') && <UsedField form={form} edit={edit} />}
      {has('description') && (
        <TextField
          form={form}
          edit={edit}
          field="description"
          label={words.description}
          help={words.descriptionHelp}
        />
      )}
      {has('method') && (
        <Field label={words.method}>
          {id => (
            <Select
              id={id}
              value={form.method}
              options={methods.map(value => ({ value, label: value }))}
              onChange={method => edit({ method })}
            />
          )}
        </Field>
      )}
      {has('url') && (
        <TextField
          form={form}
          edit={edit}
          field="url"
          label={words.url}
          {...(form.type === 'http' && { help: words.urlHelp })}
        />
      )}
      {has('headers') && <HeaderFields headers={form.headers} onChange={headers => edit({ headers })} />}
      {has('parameters') && (
        <TextField
          form={form}
          edit={edit}
          field="parameters"
          label={words.parameters}
          help={words.parametersHelp}
          isCode
        />
      )}
      {has('tools') && (
        <Field label={words.tools} help={words.toolsHelp}>
          {id => (
            <Select
              id={id}
              mode="tags"
              value={[...form.tools]}
              onChange={(tools: string[]) => edit({ tools })}
            />
          )}
        </Field>
      )}
    </>
  )
}

interface TextFieldProps extends ToolFormFieldsProps {
  field: 'description' | 'url' | 'parameters'
  label: string
  help?: string
  isCode?: boolean
}

function TextField({ form, edit, field, label, help, isCode = false }: TextFieldProps) {
  return (
    <Field label={label} help={help}>
      {id => (
        <Input.TextArea
          id={id}
          {...(isCode && { className: 'code-input' })}
          autoSize={{ minRows: isCode ? 2 : 1, maxRows: 10 }}
          value={form[field]}
          onChange={event => edit({ [field]: event.target.value })}
        />
      )}
    </Field>
  )
}

/** The tool's workflow or knowledge base. */
function UsedField({ form, edit }: ToolFormFieldsProps) {
  const words = useWords()
  const isWorkflow = form.type === 'workflow'
  const label = isWorkflow ? words.workflowChoice : words.knowledgeChoice
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      {isWorkflow ? (
        <WorkflowSelect
          value={form.id}
          onChange={id => edit({ id })}
          label={label}
          placeholder={words.choose}
        />
      ) : (
        <KnowledgeSelect
          value={form.id === '' ? [] : [form.id]}
          onChange={ids => edit({ id: ids.at(-1) ?? '' })}
          label={label}
          placeholder={words.choose}
        />
      )}
    </div>
  )
}

const useHeaderFieldsWords = defineWords(
  {
    headers: 'Headers',
    help: 'For example API keys. They are hidden from the model and from view-only users.',
    name: 'Name',
    value: 'Value',
    nameOf: (number: number) => `Name of header ${number}`,
    valueOf: (number: number) => `Value of header ${number}`,
    remove: (number: number) => `Remove header ${number}`,
    add: 'Add a header',
  },
  {
    headers: '请求头',
    help: '例如 API 密钥。模型和只有查看权限的用户都看不到。',
    name: '名称',
    value: '值',
    nameOf: (number: number) => `第 ${number} 个请求头的名称`,
    valueOf: (number: number) => `第 ${number} 个请求头的值`,
    remove: (number: number) => `移除第 ${number} 个请求头`,
    add: '添加请求头',
  },
)

interface HeaderFieldsProps {
  headers: readonly HeaderRow[]
  onChange: (headers: readonly HeaderRow[]) => void
}

/** The headers of a tool. Their values are often keys, so they are masked until the user reveals one. */
function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const words = useHeaderFieldsWords()
  return (
    <fieldset className="field header-fields" aria-label={words.headers}>
      <span className="field-label">{words.headers}</span>
      {headers.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name of a row is itself being typed
        <div key={at} className="row">
          <Input
            aria-label={words.nameOf(at + 1)}
            placeholder={words.name}
            value={row.name}
            onChange={event => onChange(headers.with(at, { ...row, name: event.target.value }))}
          />
          <Input.Password
            aria-label={words.valueOf(at + 1)}
            placeholder={words.value}
            // Browsers would offer to store it as a password, or fill one in.
            autoComplete="new-password"
            value={row.value}
            onChange={event => onChange(headers.with(at, { ...row, value: event.target.value }))}
          />
          <Button
            type="text"
            icon={<CloseOutlined />}
            aria-label={words.remove(at + 1)}
            onClick={() => onChange(headers.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined />}
        onClick={() => onChange([...headers, { name: '', value: '' }])}
      >
        {words.add}
      </Button>
      <p className="soft small">{words.help}</p>
    </fieldset>
  )
}
