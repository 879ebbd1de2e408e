import { Input } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { isObject, pointerBelow } from '../fits-shape.ts'
import { useNodeForm } from '../node-form.ts'
import { useDraft } from '../use-draft.ts'
import type { InputProps } from './input-props.ts'
import { emptyOf } from './list-input.tsx'
import { NestedInput } from './nested-input.tsx'
import { Problems } from './problems.tsx'
import { AddButton, RowButtons, removed, replaced } from './row-buttons.tsx'

const useWords = defineWords(
  {
    add: (label: string) => `Add to ${label}`,
    name: (label: string, place: number) => `${label}: name ${place}`,
    value: (label: string, name: string) => `${label}: value of ${name}`,
    namePlace: 'Name',
    nameless: 'Enter a name; entries without one are not saved.',
    twice: 'This name is already used above; this entry is not saved.',
  },
  {
    add: (label: string) => `添加${label}`,
    name: (label: string, place: number) => `${label}：第 ${place} 项的名称`,
    value: (label: string, name: string) => `${label}：${name} 的值`,
    namePlace: '名称',
    nameless: '请填写名称，否则不会保存。',
    twice: '上面已有同名的一项，此行不会保存。',
  },
)

interface Row {
  key: string
  value: unknown
}

const rowsOf = (value: unknown): Row[] =>
  isObject(value) ? Object.entries(value).map(([key, each]) => ({ key, value: each })) : []

/** Only rows with a unique name; the first of a name counts. */
function recordOf(rows: readonly Row[]): Record<string, unknown> {
  const named = new Map<string, unknown>()
  for (const { key, value } of rows) if (key !== '' && !named.has(key)) named.set(key, value)
  return Object.fromEntries(named)
}

/** Values by name. Rows without a unique name stay in the form and are not saved. */
export function DictionaryInput({ shape, value, onChange, pointer, label }: InputProps) {
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  const [rows, keep] = useDraft(value, rowsOf)
  const of = shape.of ?? { is: 'anything' }
  const change = (next: Row[]): void => {
    const record = recordOf(next)
    keep(next, record)
    onChange(record)
  }
  const problemOf = ({ key, value: each }: Row, index: number): string | undefined => {
    if (key === '') return each === '' ? undefined : words.nameless
    return rows.findIndex(row => row.key === key) < index ? words.twice : undefined
  }
  return (
    <div className="field-stack">
      {rows.map((row, index) => {
        const place = pointerBelow(pointer, row.key)
        const problem = problemOf(row, index)
        const name = words.name(label, index + 1)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands at its place, its name is being typed
          <div key={index} className="entry" data-place={place}>
            <div className="row">
              <Input
                className="row-key"
                aria-label={name}
                placeholder={words.namePlace}
                value={row.key}
                disabled={isReadOnly}
                autoComplete="off"
                status={problem === undefined ? '' : 'error'}
                onChange={event => change(replaced(rows, index, { ...row, key: event.target.value }))}
              />
              <div className="row-input">
                <NestedInput
                  shape={of}
                  value={row.value}
                  onChange={next => change(replaced(rows, index, { ...row, value: next ?? emptyOf(of) }))}
                  pointer={row.key === '' ? `${pointer}/ ${index}` : place}
                  label={words.value(label, row.key || String(index + 1))}
                />
              </div>
              <RowButtons
                name={row.key || `${label} ${index + 1}`}
                onRemove={() => change(removed(rows, index))}
              />
            </div>
            {problem !== undefined && (
              <div className="problems" role="status">
                {problem}
              </div>
            )}
            <Problems pointer={place} reach="below" />
          </div>
        )
      })}
      <AddButton
        label={words.add(label)}
        onClick={() => keep([...rows, { key: '', value: emptyOf(of) }], value)}
      />
    </div>
  )
}
