import { useQuery } from '@tanstack/react-query'
import { AutoComplete } from 'antd'
import { call } from '../../../api/call.ts'
import { defineWords } from '../../../ui/words.ts'
import { useControl } from '../node-form.ts'
import type { InputProps } from './input-props.ts'

const useWords = defineWords({ standard: 'Default model' }, { standard: '默认模型' })

/** A model by its name: one of those that are set up, or a text of one's own, which may be a reference. */
export function ModelInput({ value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const { data } = useQuery({
    queryKey: ['models', 'names'],
    queryFn: ({ signal }) => call('POST /api/v1/model/list', { body: { page_size: 100 }, signal }),
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
