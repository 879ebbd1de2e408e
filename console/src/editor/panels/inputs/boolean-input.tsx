import { Select } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

const useWords = defineWords(
  { yes: 'Yes', no: 'No', unset: 'Not set' },
  { yes: '是', no: '否', unset: '未设置' },
)

/** Yes, no, or nothing said: what is not set often means yes. */
export function BooleanInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  return (
    <Select
      {...useControl(pointer)}
      aria-label={label}
      className="field-wide"
      allowClear
      placeholder={words.unset}
      value={typeof value === 'boolean' ? value : undefined}
      onChange={next => onChange(next ?? undefined)}
      options={[
        { value: true, label: words.yes },
        { value: false, label: words.no },
      ]}
    />
  )
}
