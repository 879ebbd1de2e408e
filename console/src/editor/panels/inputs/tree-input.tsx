import { Select } from 'antd'
import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { inputId, useControl, useLocalized, useNodeForm } from '../node-form.ts'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { TemplateInput } from './template-input.tsx'

const useWords = defineWords(
  { json: 'JSON', asJson: (label: string) => `${label} as JSON` },
  { json: 'JSON', asJson: (label: string) => `${label}：以 JSON 填写` },
)

/** JSON, whose texts may contain references if it is a tree; usually a single text, which then needs no quotes. */
export function TreeInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  const [wantsJson, wantJson] = useState(
    value === undefined ? shape.input === 'json' : typeof value !== 'string',
  )
  // Only JSON can show a value that is not text.
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
  const hasReferences = shape.is === 'tree'
  const hasSecrets = shape.secrets ?? false
  const shared = { pointer, label, corner, hasReferences, hasSecrets, local: shape.local }
  if (isJson) return <JsonInput {...shared} value={value} onChange={onChange} />
  return (
    <TemplateInput
      {...shared}
      text={typeof value === 'string' ? value : ''}
      onText={onChange}
      look={shape.input === 'json' ? 'code' : 'line'}
      language={shape.input === 'json' ? 'json' : undefined}
    />
  )
}

const useTreeOptionsInputWords = defineWords(
  { unset: 'Not set', other: 'Continue with custom outputs', json: 'as JSON' },
  { unset: '未设置', other: '使用自定义输出继续', json: 'JSON 内容' },
)

const other = ' other'

/** One of several texts, or custom JSON, such as the reaction to a failed node. */
export function TreeOptionsInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useTreeOptionsInputWords()
  const localize = useLocalized()
  const control = useControl(pointer)
  const options = (shape.options ?? []).map(option => ({
    value: option.value,
    label: localize(option.label),
  }))
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
