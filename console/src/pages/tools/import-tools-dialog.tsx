import { UploadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Alert, Button, Checkbox, Input, Tag } from 'antd'
import { useId, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { toolNoteText } from '../../ui/server-texts/tool-note-texts.ts'
import { Field } from '../../ui/tools/field.tsx'
import { invalidProps, ProblemLine, useFocusProblem } from '../../ui/tools/field-problem.tsx'
import { defineWords } from '../../ui/words.ts'
import { useImport } from './use-import.ts'
import './tools.css'

const useWords = defineWords(
  {
    title: 'Import tools',
    content: 'curl command or OpenAPI document',
    contentHelp: 'OpenAPI 3 or Swagger 2, as JSON or YAML. Nothing is stored before you choose the tools.',
    upload: 'Choose a file',
    file: 'OpenAPI file',
    read: 'Read',
    back: 'Back',
    cancel: 'Cancel',
    tools: 'Tools',
    all: 'All',
    choose: (name: string) => `Import ${name}`,
    nameOf: (name: string) => `Name of ${name}`,
    secrets: 'Secrets',
    secretsHelp: 'The tools refer to these credentials. They are stored encrypted, and never shown again.',
    exists: 'Already exists: leave it empty to keep its value.',
    missing: 'Without a value, calls fail until you store it in Secrets.',
    short: 'Enter at least 8 characters.',
    create: (count: number) => (count === 1 ? 'Create 1 tool' : `Create ${count} tools`),
    failed: (name: string, reason: string) => `${name}: ${reason}`,
  },
  {
    title: '导入工具',
    content: 'curl 命令或 OpenAPI 文档',
    contentHelp: '支持 OpenAPI 3 和 Swagger 2 的 JSON 或 YAML。选择工具之前不会保存任何内容。',
    upload: '选择文件',
    file: 'OpenAPI 文件',
    read: '读取',
    back: '返回',
    cancel: '取消',
    tools: '工具',
    all: '全部',
    choose: (name: string) => `导入 ${name}`,
    nameOf: (name: string) => `${name} 的名称`,
    secrets: '密钥',
    secretsHelp: '工具会引用这些凭据。它们加密保存，之后不再显示。',
    exists: '已存在：留空则保留原来的值。',
    missing: '没有值时，调用会失败，直到你在“密钥”页面保存它。',
    short: '至少填写 8 个字符。',
    create: (count: number) => `创建 ${count} 个工具`,
    failed: (name: string, reason: string) => `${name}：${reason}`,
  },
)

type Imported = CallData<'POST /api/v1/tool/import'>

interface ImportToolsDialogProps {
  /** Names of existing tools. */
  taken: readonly string[]
  onClose(): void
}

/** Imports tools: paste or upload a description, choose among its tools, and create them. */
export function ImportToolsDialog({ taken, onClose }: ImportToolsDialogProps) {
  const words = useWords()
  const [content, setContent] = useState('')
  const read = useMutation({
    mutationFn: (text: string) => call('POST /api/v1/tool/import', { body: { content: text } }),
  })
  if (read.data)
    return <ChooseTools imported={read.data} taken={taken} onBack={() => read.reset()} onClose={onClose} />
  return (
    <Dialog
      open
      title={words.title}
      okText={words.read}
      cancelText={words.cancel}
      okButtonProps={{ disabled: content.trim() === '' }}
      confirmLoading={read.isPending}
      onOk={() => read.mutate(content)}
      onCancel={onClose}
      width={720}
    >
      <div className="import-tools dialog-fields">
        <ContentField content={content} onChange={setContent} />
        {read.isError && <Failure error={read.error} />}
      </div>
    </Dialog>
  )
}

function ContentField({ content, onChange }: { content: string; onChange(content: string): void }) {
  const words = useWords()
  const file = useRef<HTMLInputElement>(null)
  return (
    <>
      <Field label={words.content} help={words.contentHelp}>
        {id => (
          <Input.TextArea
            id={id}
            autoFocus
            className="code-input"
            rows={10}
            spellCheck={false}
            placeholder={'curl https://api.example.com/orders?status=open \\\n  -H "Authorization: Bearer …"'}
            value={content}
            onChange={event => onChange(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button icon={<UploadOutlined aria-hidden />} onClick={() => file.current?.click()}>
          {words.upload}
        </Button>
        <FileInput ref={file} label={words.file} onFiles={([chosen]) => void chosen?.text().then(onChange)} />
      </div>
    </>
  )
}

interface ChooseToolsProps extends ImportToolsDialogProps {
  imported: Imported
  onBack(): void
}

function ChooseTools({ imported, taken, onBack, onClose }: ChooseToolsProps) {
  const words = useWords()
  const language = useLanguage()
  const { rows, edit, values, setValue, isShort, create, failures } = useImport(imported, taken, onClose)
  const chosen = rows.filter(row => row.isChosen)
  const [refused, setRefused] = useState<object>()
  const fields = useFocusProblem(refused)
  const submit = (): void => {
    if (imported.secrets.some(({ name }) => isShort(name))) setRefused({})
    else create.mutate()
  }
  const isPartly = chosen.length > 0 && chosen.length < rows.length
  return (
    <Dialog
      open
      title={words.title}
      width={720}
      onCancel={onClose}
      footer={[
        <Button key="back" onClick={onBack}>
          {words.back}
        </Button>,
        <Button
          key="create"
          type="primary"
          disabled={chosen.length === 0}
          loading={create.isPending}
          onClick={submit}
        >
          {words.create(chosen.length)}
        </Button>,
      ]}
    >
      <div className="import-tools dialog-fields" ref={fields}>
        {imported.notes.map(note => (
          <Alert key={note} type="warning" showIcon title={toolNoteText(language, note)} />
        ))}
        <h3>{words.tools}</h3>
        {rows.length > 1 && (
          <Checkbox
            checked={chosen.length === rows.length}
            indeterminate={isPartly}
            onChange={event => edit(() => ({ isChosen: event.target.checked }))}
          >
            {words.all} ({chosen.length}/{rows.length})
          </Checkbox>
        )}
        <ul>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are neither added nor moved
            <li key={at} className="imported-tool">
              <Checkbox
                aria-label={words.choose(row.name)}
                checked={row.isChosen}
                onChange={event =>
                  edit((_, place) => (place === at ? { isChosen: event.target.checked } : {}))
                }
              />
              <Input
                aria-label={words.nameOf(row.tool.name)}
                maxLength={64}
                spellCheck={false}
                value={row.name}
                onChange={event => edit((_, place) => (place === at ? { name: event.target.value } : {}))}
              />
              <span className="small">
                <Tag>{row.tool.method}</Tag>
                <code>{row.tool.url}</code>
              </span>
              {row.tool.description !== '' && <span className="soft small">{row.tool.description}</span>}
              {row.tool.notes.map(note => (
                <span key={note} className="soft small">
                  ⚠ {toolNoteText(language, note)}
                </span>
              ))}
            </li>
          ))}
        </ul>
        {imported.secrets.length > 0 && <h3>{words.secrets}</h3>}
        {imported.secrets.length > 0 && <p className="soft small">{words.secretsHelp}</p>}
        {imported.secrets.map(({ name, exists }) => (
          <SecretField
            key={name}
            name={name}
            help={exists ? words.exists : (values[name] ?? '') === '' ? words.missing : undefined}
            problem={refused && isShort(name) ? words.short : undefined}
            value={values[name] ?? ''}
            onChange={value => setValue(name, value)}
          />
        ))}
        {create.isError && <Failure error={create.error} />}
        {failures.map(({ name, reason }) => (
          <Alert key={name} type="error" showIcon role="alert" title={words.failed(name, reason)} />
        ))}
      </div>
    </Dialog>
  )
}

interface SecretFieldProps {
  name: string
  help: string | undefined
  problem: string | undefined
  value: string
  onChange(value: string): void
}

function SecretField({ name, help, problem, value, onChange }: SecretFieldProps) {
  const id = useId()
  const problemId = useId()
  return (
    <div className="agent-field">
      <label htmlFor={id}>
        <code>{name}</code>
      </label>
      <Input.Password
        id={id}
        autoComplete="new-password"
        {...invalidProps(problemId, problem !== undefined)}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <ProblemLine id={problemId} text={problem} />
      {help !== undefined && <p className="soft small">{help}</p>}
    </div>
  )
}
