import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input, Select } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { type FilterRow, operators } from './search-state.ts'

const useWords = defineWords(
  {
    about: 'Only documents whose metadata matches all conditions:',
    key: (number: number) => `Key of condition ${number}`,
    operator: (number: number) => `Operator of condition ${number}`,
    value: (number: number) => `Value of condition ${number}`,
    remove: (number: number) => `Remove condition ${number}`,
    add: 'Add a condition',
    eq: 'is',
    in: 'is one of',
    gte: 'at least',
    lte: 'at most',
    gt: 'more than',
    lt: 'less than',
    keyExample: 'year',
    valueExample: '2026',
    listExample: '2025, 2026',
  },
  {
    about: '只搜索元数据满足以下全部条件的文档：',
    key: (number: number) => `条件 ${number} 的键`,
    operator: (number: number) => `条件 ${number} 的比较方式`,
    value: (number: number) => `条件 ${number} 的值`,
    remove: (number: number) => `移除条件 ${number}`,
    add: '添加条件',
    eq: '等于',
    in: '是其中之一',
    gte: '不小于',
    lte: '不大于',
    gt: '大于',
    lt: '小于',
    keyExample: 'year',
    valueExample: '2026',
    listExample: '2025, 2026',
  },
)

/** Conditions on the metadata of documents. */
export function FilterRows({
  rows,
  onChange,
}: {
  rows: readonly FilterRow[]
  onChange: (rows: FilterRow[]) => void
}) {
  const words = useWords()
  const change = (at: number, part: Partial<FilterRow>): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  return (
    <fieldset className="kb-filter-rows">
      <legend className="soft small">{words.about}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name but their place, and their key is being typed
        <div className="kb-filter-row" key={index}>
          <Input
            value={row.key}
            maxLength={100}
            placeholder={words.keyExample}
            aria-label={words.key(index + 1)}
            onChange={event => change(index, { key: event.target.value })}
          />
          <Select
            value={row.operator}
            aria-label={words.operator(index + 1)}
            options={operators.map(value => ({ value, label: words[value] }))}
            onChange={operator => change(index, { operator })}
          />
          <Input
            value={row.value}
            placeholder={row.operator === 'in' ? words.listExample : words.valueExample}
            aria-label={words.value(index + 1)}
            onChange={event => change(index, { value: event.target.value })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={words.remove(index + 1)}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        size="small"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => onChange([...rows, { key: '', operator: 'eq', value: '' }])}
      >
        {words.add}
      </Button>
    </fieldset>
  )
}
