import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { MetadataRow } from './metadata-rows.ts'

const useWords = defineWords(
  {
    key: (number: number) => `Key ${number}`,
    value: (number: number) => `Value ${number}`,
    keyExample: 'year',
    valueExample: '2026',
    remove: (key: string) => `Remove ${key}`,
    add: 'Add a value',
    hint: 'Separate multiple values with commas. Numbers are compared as numbers; quote them to store text.',
  },
  {
    key: (number: number) => `键 ${number}`,
    value: (number: number) => `值 ${number}`,
    keyExample: 'year',
    valueExample: '2026',
    remove: (key: string) => `移除 ${key}`,
    add: '添加一项',
    hint: '多个值用英文逗号分隔。数字按数值比较；要作为文本请加英文双引号。',
  },
)

interface MetadataEditorProps {
  rows: readonly MetadataRow[]
  onChange: (rows: MetadataRow[]) => void
  disabled?: boolean
}

/** Edits custom values by key. */
export function MetadataEditor({ rows, onChange, disabled = false }: MetadataEditorProps) {
  const words = useWords()
  const change = (at: number, changed: MetadataRow): void =>
    onChange(rows.map((row, index) => (index === at ? changed : row)))
  return (
    <div className="kb-metadata-rows">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name but their place, and their key is being typed
        <div className="kb-metadata-row" key={index}>
          <Input
            value={row.key}
            disabled={disabled}
            maxLength={100}
            placeholder={words.keyExample}
            aria-label={words.key(index + 1)}
            onChange={event => change(index, { ...row, key: event.target.value })}
          />
          <Input
            value={row.value}
            disabled={disabled}
            maxLength={1000}
            placeholder={words.valueExample}
            aria-label={words.value(index + 1)}
            onChange={event => change(index, { key: row.key, value: event.target.value })}
          />
          {!disabled && (
            <Button
              type="text"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={words.remove(row.key || words.key(index + 1))}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <Button
          type="dashed"
          size="small"
          icon={<PlusOutlined aria-hidden />}
          disabled={rows.length >= 64}
          onClick={() => onChange([...rows, { key: '', value: '' }])}
        >
          {words.add}
        </Button>
      )}
      {rows.length > 0 && !disabled && <span className="soft small">{words.hint}</span>}
    </div>
  )
}
