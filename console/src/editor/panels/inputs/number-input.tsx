import { InputNumber } from 'antd'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

export function NumberInput({ value, onChange, pointer, label }: InputProps) {
  const control = useControl(pointer)
  return (
    <InputNumber
      {...control}
      aria-label={label}
      className="field-wide"
      value={typeof value === 'number' ? value : null}
      onChange={next => onChange(typeof next === 'number' ? next : undefined)}
      status={control['aria-invalid'] ? 'error' : ''}
    />
  )
}
