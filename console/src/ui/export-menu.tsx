import { Button } from 'antd'
import { ActionMenu } from './action-menu.tsx'
import { useFailureToast } from './failure.tsx'
import { defineWords } from './words.ts'

const useWords = defineWords(
  { export: 'Export', jsonl: 'JSON lines' },
  { export: '导出', jsonl: 'JSON Lines' },
)

/** Saves a list as CSV or JSON lines. */
export function ExportMenu({ save }: { save(format: 'csv' | 'jsonl'): Promise<void> }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const start = (format: 'csv' | 'jsonl') => void save(format).catch(showFailure)
  return (
    <ActionMenu
      menu={{
        items: [
          { key: 'csv', label: 'CSV', onClick: () => start('csv') },
          { key: 'jsonl', label: words.jsonl, onClick: () => start('jsonl') },
        ],
      }}
    >
      <Button>{words.export}</Button>
    </ActionMenu>
  )
}
