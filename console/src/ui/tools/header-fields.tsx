import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useId } from 'react'
import { defineWords } from '../words.ts'
import { invalidProps, ProblemLine } from './field-problem.tsx'
import { SecretInput } from './secret-input.tsx'
import { type HeaderRow, isHeaderNamed } from './tool-settings.ts'

const useWords = defineWords(
  {
    headers: 'Headers',
    help: 'Store API keys as secrets and choose them here. Other values are readable by everyone who can edit the tool.',
    name: 'Name',
    nameOf: (number: number) => `Name of header ${number}`,
    value: 'Value',
    valueOf: (number: number) => `Value of header ${number}`,
    choose: (number: number) => `Use a secret in header ${number}`,
    remove: (number: number) => `Remove header ${number}`,
    add: 'Add a header',
  },
  {
    headers: '请求头',
    help: '请先把 API 密钥保存为密钥，再在这里选用。直接填写的值，所有能编辑这个工具的人都能看到。',
    name: '名称',
    nameOf: (number: number) => `第 ${number} 个请求头的名称`,
    value: '值',
    valueOf: (number: number) => `第 ${number} 个请求头的值`,
    choose: (number: number) => `在第 ${number} 个请求头中使用密钥`,
    remove: (number: number) => `移除第 ${number} 个请求头`,
    add: '添加请求头',
  },
)

interface HeaderFieldsProps {
  headers: readonly HeaderRow[]
  problem: string | undefined
  onChange: (headers: readonly HeaderRow[]) => void
}

/** The headers of a tool. Their values are often keys, so they are masked until the user reveals one. */
export function HeaderFields({ headers, problem, onChange }: HeaderFieldsProps) {
  const words = useWords()
  const problemId = useId()
  return (
    <fieldset className="agent-field header-fields" aria-label={words.headers}>
      <span className="agent-field-label">{words.headers}</span>
      {headers.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name of a row is itself being typed
        <div key={at} className="agent-row">
          <Input
            aria-label={words.nameOf(at + 1)}
            {...invalidProps(problemId, problem !== undefined && !isHeaderNamed(headers, at))}
            placeholder={words.name}
            value={row.name}
            onChange={event => onChange(headers.with(at, { ...row, name: event.target.value }))}
          />
          <SecretInput
            label={words.valueOf(at + 1)}
            choose={words.choose(at + 1)}
            placeholder={words.value}
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
      <ProblemLine id={problemId} text={problem} />
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => onChange([...headers, { name: '', value: '' }])}
      >
        {words.add}
      </Button>
      <p className="soft small">{words.help}</p>
    </fieldset>
  )
}
