import { useContext } from 'react'
import { TextEditor } from '../../../ui/text-editor/text-editor.tsx'
import { isObject } from '../fits-shape.ts'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { SettingsContext } from './server-tool-inputs.tsx'

/** Code without references, with completion for the names of its inputs and the colours of its language. */
export function CodeInput({ shape, value, onChange, pointer, label }: InputProps) {
  const control = useControl(pointer)
  const { language, inputs } = useContext(SettingsContext)
  return (
    <TextEditor
      id={control.id}
      label={label}
      text={typeof value === 'string' ? value : ''}
      onText={onChange}
      look="code"
      language={shape.input === 'json' ? 'json' : language === 'python' ? 'python' : 'javascript'}
      inputs={isObject(inputs) ? Object.keys(inputs) : []}
      isReadOnly={control.disabled}
      isInvalid={control['aria-invalid']}
      describedBy={control['aria-describedby']}
    />
  )
}
