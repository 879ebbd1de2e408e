import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { useNodeForm } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { TemplateInput } from './template-input.tsx'

const useWords = defineWords(
  { json: 'JSON', asJson: (label: string) => `${label} as JSON` },
  { json: 'JSON', asJson: (label: string) => `${label}：以 JSON 填写` },
)

/** JSON whose texts may have references; most often it is one text, which needs no quotes then. */
export function TreeInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  const [wantsJson, wantJson] = useState(
    value === undefined ? shape.input === 'json' : typeof value !== 'string',
  )
  // Only JSON can show what is no text, however it came there.
  const isJson = wantsJson || (typeof value !== 'string' && value !== undefined)
  const toggle = (): void => {
    wantJson(!isJson)
    if (isJson && value !== undefined && typeof value !== 'string') onChange(JSON.stringify(value))
  }
  const corner = (
    <button
      type="button"
      className="corner-button"
      aria-pressed={isJson}
      aria-label={words.asJson(label)}
      title={words.asJson(label)}
      disabled={isReadOnly}
      onClick={toggle}
    >
      {words.json}
    </button>
  )
  const shared = { pointer, label, corner }
  if (isJson) return <JsonInput {...shared} value={value} onChange={onChange} hasReferences />
  return (
    <TemplateInput
      {...shared}
      text={typeof value === 'string' ? value : ''}
      onText={onChange}
      look={shape.input === 'json' ? 'code' : 'line'}
    />
  )
}
