import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { FieldGroup, type PartProps } from './field.tsx'
import { type MemoryProblem, type MemoryRow, memoryProblems } from './memory-draft.ts'

const useWords = defineWords(
  {
    title: 'Memory',
    about:
      'Values remembered within each conversation. A workflow writes them with a variable node and reads them as {{#memory.key#}}.',
    key: 'Key',
    name: 'Name',
    description: 'Description',
    value: 'Default value',
    field: (field: string, number: number) => `${field} of value ${number}`,
    remove: (number: number) => `Remove value ${number}`,
    add: 'Add a value',
    missing: 'Enter a key, or remove this value.',
    double: 'Another value already uses this key. Enter a different one.',
  },
  {
    title: '记忆',
    about: '在每个对话中记住的值。工作流用变量节点写入，用 {{#memory.键#}} 读取。',
    key: '键',
    name: '名称',
    description: '说明',
    value: '默认值',
    field: (field: string, number: number) => `第 ${number} 个值的${field}`,
    remove: (number: number) => `移除第 ${number} 个值`,
    add: '添加值',
    missing: '请填写键，或移除这个值。',
    double: '已有使用这个键的值，请换一个键。',
  },
)

const fields = ['key', 'name', 'description', 'value'] as const
const longest: Record<(typeof fields)[number], number> = {
  key: 100,
  name: 100,
  description: 2000,
  value: 20_000,
}
const emptyRow: MemoryRow = { key: '', name: '', description: '', value: '' }

export function MemoryFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  const { memory } = draft
  const problems = memoryProblems(memory)
  const [added, setAdded] = useState<number>()
  const add = (): void => {
    setAdded(memory.length)
    edit({ memory: [...memory, emptyRow] })
  }
  return (
    <FieldGroup title={words.title} about={words.about}>
      {memory.map((row, at) => (
        <MemoryRowFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the key of a row is itself being typed
          key={at}
          row={row}
          number={at + 1}
          isAdded={at === added}
          problem={problems[at]}
          isDisabled={isDisabled}
          onChange={next => edit({ memory: memory.with(at, next) })}
          onRemove={() => edit({ memory: memory.filter((_, other) => other !== at) })}
        />
      ))}
      <div>
        <Button
          type="dashed"
          icon={<PlusOutlined aria-hidden />}
          disabled={isDisabled || memory.length >= 100}
          onClick={add}
        >
          {words.add}
        </Button>
      </div>
    </FieldGroup>
  )
}

interface MemoryRowFieldsProps {
  row: MemoryRow
  number: number
  /** Whether it was just added by the user. */
  isAdded: boolean
  problem: MemoryProblem | undefined
  isDisabled: boolean
  onChange: (row: MemoryRow) => void
  onRemove: () => void
}

function MemoryRowFields(props: MemoryRowFieldsProps) {
  const { row, number, isAdded, isDisabled, onChange, onRemove } = props
  const words = useWords()
  const [isUntouched, setIsUntouched] = useState(isAdded)
  const problem = isUntouched ? undefined : props.problem
  const problemId = useId()
  return (
    <div>
      <div className="agent-row memory-row">
        {fields.map(field => (
          <Input
            key={field}
            autoFocus={isAdded && field === 'key'}
            maxLength={longest[field]}
            disabled={isDisabled}
            aria-label={words.field(words[field], number)}
            {...(field === 'key' &&
              problem && { status: 'error', 'aria-invalid': true, 'aria-describedby': problemId })}
            placeholder={words[field]}
            value={row[field]}
            onChange={event => onChange({ ...row, [field]: event.target.value })}
            onBlur={() => setIsUntouched(false)}
          />
        ))}
        <Button
          type="text"
          icon={<CloseOutlined />}
          disabled={isDisabled}
          aria-label={words.remove(number)}
          onClick={onRemove}
        />
      </div>
      {problem && (
        <p id={problemId} className="small row-problem">
          {words[problem]}
        </p>
      )}
    </div>
  )
}
