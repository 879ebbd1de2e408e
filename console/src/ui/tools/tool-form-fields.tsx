import { Input, Select } from 'antd'
import type { ReactNode } from 'react'
import { defineWords } from '../words.ts'
import { Field } from './field.tsx'
import type { FieldProblem } from './field-problem.tsx'
import { HeaderFields } from './header-fields.tsx'
import { OauthFields } from './oauth-fields.tsx'
import { ServerToolsField } from './server-tools-field.tsx'
import { fieldsOf, methods, type ToolForm, type ToolType, toolTypes } from './tool-settings.ts'

const useWords = defineWords(
  {
    type: 'Type',
    tool: 'Shared: a tool from the Tools page',
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
  },
  {
    type: '类型',
    tool: '共享：“工具”页面中的工具',
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
  },
)

interface ToolFormFieldsProps {
  form: ToolForm
  /** The types to choose from. */
  types?: readonly ToolType[]
  /** Chooses the object that a tool refers to by id. */
  chooser?: ReactNode
  problem: FieldProblem | undefined
  edit: (change: Partial<ToolForm>) => void
}

/** The fields of a tool, by type. */
export function ToolFormFields({ form, edit, problem, types = toolTypes, chooser }: ToolFormFieldsProps) {
  const words = useWords()
  const problemOf = (field: FieldProblem['field']) => (problem?.field === field ? problem.text : undefined)
  const has = (field: keyof ToolForm): boolean => fieldsOf[form.type].includes(field)
  return (
    <>
      <Field label={words.type}>
        {id => (
          <Select<ToolType>
            id={id}
            value={form.type}
            options={types.map(value => ({ value, label: words[value] }))}
            onChange={type => edit({ type, id: '' })}
          />
        )}
      </Field>
      {has('id') && chooser}
      {has('description') && (
        <TextField
          {...{ form, edit, problem }}
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
          {...{ form, edit, problem }}
          field="url"
          label={words.url}
          {...(form.type === 'http' && { help: words.urlHelp })}
        />
      )}
      {has('headers') && (
        <HeaderFields
          headers={form.headers}
          problem={problemOf('headers')}
          onChange={headers => edit({ headers })}
        />
      )}
      {has('oauth') && (
        <OauthFields oauth={form.oauth} problem={problemOf('oauth')} onChange={oauth => edit({ oauth })} />
      )}
      {has('parameters') && (
        <TextField
          {...{ form, edit, problem }}
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

function TextField({ form, edit, problem, field, label, help, isCode = false }: TextFieldProps) {
  return (
    <Field label={label} help={help} problem={problem?.field === field ? problem.text : undefined}>
      {(id, invalid) => (
        <Input.TextArea
          id={id}
          {...invalid}
          {...(isCode && { className: 'code-input' })}
          autoSize={{ minRows: isCode ? 2 : 1, maxRows: 10 }}
          value={form[field]}
          onChange={event => edit({ [field]: event.target.value })}
        />
      )}
    </Field>
  )
}
