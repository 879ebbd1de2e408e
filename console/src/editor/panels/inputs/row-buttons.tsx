import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, type ButtonProps } from 'antd'
import { flushSync } from 'react-dom'
import { defineWords } from '../../../ui/words.ts'
import { useNodeForm } from '../node-form.ts'

const useWords = defineWords(
  {
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    remove: (name: string) => `Remove ${name}`,
  },
  {
    up: (name: string) => `上移${name}`,
    down: (name: string) => `下移${name}`,
    remove: (name: string) => `删除${name}`,
  },
)

interface RowButtonsProps {
  name: string
  onMove?: ((by: -1 | 1) => void) | undefined
  isFirst?: boolean
  isLast?: boolean
  onRemove(): void
}

/** When a row is removed, the next one gets the focus; after the last one, the add button. */
function removeRow(button: HTMLElement, onRemove: () => void): void {
  const rows = button.closest('.field-stack')
  flushSync(onRemove)
  if (!button.isConnected) rows?.querySelector<HTMLElement>(':scope > button')?.focus()
}

/** Moves and removes a row. */
export function RowButtons({ name, onMove, isFirst, isLast, onRemove }: RowButtonsProps) {
  const words = useWords()
  const { isReadOnly } = useNodeForm()
  if (isReadOnly) return null
  const button = (
    label: string,
    icon: React.ReactNode,
    disabled: boolean,
    onClick: ButtonProps['onClick'],
  ) => <Button type="text" size="small" aria-label={label} title={label} {...{ icon, disabled, onClick }} />
  return (
    <span className="row-buttons">
      {onMove && !(isFirst && isLast) && (
        <>
          {button(words.up(name), <ArrowUpOutlined />, isFirst ?? false, () => onMove(-1))}
          {button(words.down(name), <ArrowDownOutlined />, isLast ?? false, () => onMove(1))}
        </>
      )}
      {button(words.remove(name), <DeleteOutlined />, false, event =>
        removeRow(event.currentTarget, onRemove),
      )}
    </span>
  )
}

export function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  const { isReadOnly } = useNodeForm()
  if (isReadOnly) return null
  return (
    <Button type="dashed" size="small" block icon={<PlusOutlined aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  )
}

export const replaced = <Item,>(list: readonly Item[], index: number, item: Item): Item[] =>
  list.map((each, place) => (place === index ? item : each))

export const removed = <Item,>(list: readonly Item[], index: number): Item[] =>
  list.filter((_, place) => place !== index)

export function moved<Item>(list: readonly Item[], index: number, by: -1 | 1): Item[] {
  const next = [...list]
  const [item] = next.splice(index, 1)
  if (item !== undefined) next.splice(index + by, 0, item)
  return next
}
