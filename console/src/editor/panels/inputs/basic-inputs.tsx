import { useQuery } from '@tanstack/react-query'
import { AutoComplete, Input, InputNumber, Select } from 'antd'
import { call } from '../../../api/call.ts'
import { defineWords } from '../../../ui/words.ts'
import { useControl, useLocalized } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

/** A text without references. */
export function TextInput({ shape, value, onChange, pointer, label }: InputProps) {
  const control = useControl(pointer)
  const text = typeof value === 'string' ? value : ''
  const shared = {
    ...control,
    value: text,
    'aria-label': label,
    status: control['aria-invalid'] ? 'error' : '',
  } as const
  if (shape.input === 'paragraph')
    return (
      <Input.TextArea
        {...shared}
        autoSize={{ minRows: 2, maxRows: 24 }}
        onChange={event => onChange(event.target.value)}
      />
    )
  return <Input {...shared} autoComplete="off" onChange={event => onChange(event.target.value)} />
}

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

const useWords = defineWords(
  { yes: 'Yes', no: 'No', unset: 'Not set' },
  { yes: '是', no: '否', unset: '未设置' },
)

/** Yes, no or not set: unset often means yes. */
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

const useOptionsInputWords = defineWords({ unset: 'Not set' }, { unset: '未设置' })

/** One of several texts. An unknown value stays visible. */
export function OptionsInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useOptionsInputWords()
  const localize = useLocalized()
  const options = (shape.options ?? []).map(option => ({
    value: option.value,
    label: localize(option.label),
  }))
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

const useModelInputWords = defineWords({ standard: 'Default model' }, { standard: '默认模型' })

/** A model by name: one of the configured models, or any text, which may be a reference. */
export function ModelInput({ value, onChange, pointer, label }: InputProps) {
  const words = useModelInputWords()
  const { data } = useQuery({
    queryKey: ['models', 'names'],
    queryFn: ({ signal }) =>
      call('POST /api/v1/model/list', { body: { page_size: 100, type: 'chat' }, signal }),
    staleTime: 60_000,
  })
  const control = useControl(pointer)
  return (
    <AutoComplete
      {...control}
      aria-label={label}
      className="field-wide"
      allowClear
      placeholder={words.standard}
      value={typeof value === 'string' ? value : ''}
      onChange={next => onChange(next === undefined || next === '' ? undefined : next)}
      options={(data?.items ?? []).map(({ name, model }) => ({
        value: name,
        label: name === model ? name : `${name} (${model})`,
      }))}
      status={control['aria-invalid'] ? 'error' : ''}
    />
  )
}
