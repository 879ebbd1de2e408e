import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import type { HeaderRow } from './tool-settings.ts'

const useWords = defineWords(
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

/** The headers of a tool. Their values are often keys: covered until somebody asks to see one. */
export function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const words = useWords()
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
            // Browsers would offer to keep it as somebody's password, or fill in one.
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
