import { Select } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { useControl, useSay } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

const useWords = defineWords({ unset: 'Not set' }, { unset: '未设置' })

/** One of a few texts. One that is not among them stays and can be seen. */
export function OptionsInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const say = useSay()
  const options = (shape.options ?? []).map(option => ({ value: option.value, label: say(option.label) }))
  const text = typeof value === 'string' ? value : undefined
  const isKnown = text === undefined || options.some(option => option.value === text)
  return (
    <Select
      {...useControl(pointer)}
      aria-label={label}
      className="field-wide"
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={words.unset}
      value={text}
      onChange={next => onChange(next ?? undefined)}
      options={isKnown ? options : [...options, { value: text, label: text }]}
    />
  )
}
