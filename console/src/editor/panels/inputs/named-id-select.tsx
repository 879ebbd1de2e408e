import { Select } from 'antd'
import { useControl } from '../node-form.ts'
import { type NamedOption, type NameSource, useNamedIds } from './named-ids.ts'

interface NamedIdSelectProps {
  source: NameSource
  chosen: readonly string[]
  onChoose(ids: string[]): void
  pointer: string
  label: string
  placeholder: string
  isMultiple?: boolean
}

/** Chooses by name and keeps the id. */
export function NamedIdSelect(props: NamedIdSelectProps) {
  const { source, chosen, onChoose, pointer, label, placeholder, isMultiple = false } = props
  const { options, setSearch, isLoading } = useNamedIds(source, chosen)
  const control = useControl(pointer)
  const shared = {
    ...control,
    'aria-label': label,
    className: 'field-wide',
    allowClear: true,
    placeholder,
    options,
    loading: isLoading,
    status: control['aria-invalid'] ? ('error' as const) : ('' as const),
    // The server has searched already.
    showSearch: { filterOption: false, onSearch: setSearch },
    onBlur: () => setSearch(''),
    optionRender: ({ data }: { data: NamedOption }) => (
      <span className="named-option">
        <span>{data.label}</span>
        {data.id !== '' && data.id !== data.label && <span className="soft small">{data.id}</span>}
      </span>
    ),
  }
  if (isMultiple)
    return (
      <Select<string[], NamedOption> {...shared} mode="multiple" value={[...chosen]} onChange={onChoose} />
    )
  return (
    <Select<string, NamedOption>
      {...shared}
      value={chosen[0]}
      onChange={next => onChoose(next === undefined || next === null ? [] : [next])}
    />
  )
}
