import { Select } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { inputId, useControl, useSay } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'

const useWords = defineWords(
  { unset: 'Not set', other: 'Continue with custom outputs', json: 'as JSON' },
  { unset: '未设置', other: '使用自定义输出继续', json: 'JSON 内容' },
)

const other = ' other'

/** One of a few texts, or JSON of one's own: what to do when a node fails. */
export function TreeOptionsInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const say = useSay()
  const control = useControl(pointer)
  const options = (shape.options ?? []).map(option => ({ value: option.value, label: say(option.label) }))
  const isOption = value === undefined || options.some(option => option.value === value)
  return (
    <div className="field-stack">
      <Select
        {...control}
        aria-label={label}
        className="field-wide"
        allowClear
        placeholder={words.unset}
        value={isOption ? (value as string | undefined) : other}
        onChange={next => onChange(next === other ? { default: {} } : (next ?? undefined))}
        options={[...options, { value: other, label: words.other }]}
      />
      {!isOption && (
        <JsonInput
          value={value}
          onChange={onChange}
          pointer={`${pointer}/`}
          label={`${label} ${words.json}`}
          hasReferences
          key={inputId(pointer)}
        />
      )}
    </div>
  )
}
