import { Input } from 'antd'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

/** A text in which references mean nothing. */
export function TextInput({ shape, value, onChange, pointer, label }: InputProps) {
  const control = useControl(pointer)
  const text = typeof value === 'string' ? value : ''
  const shared = {
    ...control,
    value: text,
    'aria-label': label,
    status: control['aria-invalid'] ? 'error' : '',
  } as const
  if (shape.input === 'paragraph' || shape.input === 'code' || shape.input === 'json')
    return (
      <Input.TextArea
        {...shared}
        autoSize={{ minRows: shape.input === 'paragraph' ? 2 : 5, maxRows: 24 }}
        {...(shape.input !== 'paragraph' && { className: 'code', spellCheck: false })}
        onChange={event => onChange(event.target.value)}
      />
    )
  return <Input {...shared} autoComplete="off" onChange={event => onChange(event.target.value)} />
}
