import { Button, Space } from 'antd'
import { DeleteButton } from './delete-button.tsx'
import { defineWords } from './words.ts'

const useWords = defineWords(
  {
    edit: 'Edit',
    editOne: (name: string) => `Edit ${name}`,
    delete: 'Delete',
    deleteOne: (name: string) => `Delete ${name}`,
  },
  {
    edit: '编辑',
    editOne: (name: string) => `编辑 ${name}`,
    delete: '删除',
    deleteOne: (name: string) => `删除 ${name}`,
  },
)

interface RowButtonsProps {
  /** The name of the item, for screen readers. */
  name: string
  onEdit(): void
  /** The question before the item is deleted. */
  question: string
  /** The consequence of deleting. */
  lost: string
  done: string
  remove(): Promise<unknown>
  onRemoved(): unknown
}

/** Edits or deletes the item of a row. */
export function RowButtons({ name, onEdit, ...deletion }: RowButtonsProps) {
  const words = useWords()
  return (
    <Space>
      <Button type="text" size="small" aria-label={words.editOne(name)} onClick={onEdit}>
        {words.edit}
      </Button>
      <DeleteButton text={words.delete} label={words.deleteOne(name)} {...deletion} />
    </Space>
  )
}
