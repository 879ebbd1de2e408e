import { CloseOutlined, LockOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Dropdown, Input, Select, Space } from 'antd'
import { useState } from 'react'
import { useAll } from '../../../api/queries.ts'
import { defineWords } from '../../../ui/words.ts'
import { Field } from './field.tsx'
import { KnowledgeSelect } from './knowledge-select.tsx'
import { ServerToolsField } from './server-tools-field.tsx'
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
      {has('tools') && <ServerToolsField form={form} edit={edit} />}
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
    help: 'Store API keys as secrets and choose them here. Other values are readable by everyone who can edit the agent.',
    name: 'Name',
    nameOf: (number: number) => `Name of header ${number}`,
    remove: (number: number) => `Remove header ${number}`,
    add: 'Add a header',
  },
  {
    headers: '请求头',
    help: '请先把 API 密钥保存为密钥，再在这里选用。直接填写的值，所有能编辑智能体的人都能看到。',
    name: '名称',
    nameOf: (number: number) => `第 ${number} 个请求头的名称`,
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
          <HeaderValue
            number={at + 1}
            value={row.value}
            onChange={value => onChange(headers.with(at, { ...row, value }))}
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

const useHeaderValueWords = defineWords(
  {
    value: 'Value',
    valueOf: (number: number) => `Value of header ${number}`,
    choose: (number: number) => `Use a secret in header ${number}`,
    none: 'No secrets yet',
  },
  {
    value: '值',
    valueOf: (number: number) => `第 ${number} 个请求头的值`,
    choose: (number: number) => `在第 ${number} 个请求头中使用密钥`,
    none: '还没有密钥',
  },
)

interface HeaderValueProps {
  number: number
  value: string
  onChange: (value: string) => void
}

/** The value of a header: usually a secret of the workspace. A key that was typed in is masked. */
function HeaderValue({ number, value, onChange }: HeaderValueProps) {
  const words = useHeaderValueWords()
  const secrets = useAll('POST /api/v1/secret/list')
  const [isShown, setIsShown] = useState(false)
  const choose = (name: string): void => {
    const scheme = /^(bearer|basic|token) +/i.exec(value)?.[0] ?? ''
    onChange(`${scheme}{{#secret.${name}#}}`)
  }
  const items = secrets.data?.map(({ name }) => ({ key: name, label: name, onClick: () => choose(name) }))
  return (
    <Space.Compact block>
      <Input.Password
        aria-label={words.valueOf(number)}
        visibilityToggle={{ visible: isShown || value.includes('{{#'), onVisibleChange: setIsShown }}
        placeholder={words.value}
        // Browsers would offer to store it as a password, or fill one in.
        autoComplete="new-password"
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <Dropdown
        trigger={['click']}
        menu={{
          items: items?.length ? items : [{ key: '', disabled: true, label: words.none }],
        }}
      >
        <Button icon={<LockOutlined />} aria-label={words.choose(number)} title={words.choose(number)} />
      </Dropdown>
    </Space.Compact>
  )
}
