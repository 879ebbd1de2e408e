import { SearchOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import './list-search.css'

interface ListSearchProps {
  /** Names the searched list, for example “Search agents”. */
  label: string
  value: string
  onChange: (value: string) => void
}

/** Filters a list while the user types. */
export function ListSearch({ label, value, onChange }: ListSearchProps) {
  return (
    <Input
      type="search"
      className="list-search"
      prefix={<SearchOutlined aria-hidden />}
      allowClear
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  )
}
