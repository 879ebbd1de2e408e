import { DeleteOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useFileWords } from './file-words.ts'
import type { StoredFile } from './use-files.ts'

interface FilesToolsProps {
  keyword: string
  onKeyword: (keyword: string) => void
  selected: StoredFile[]
  onClear: () => void
  onDelete: () => void
}

/** The search, and what can be done with the files that were selected. */
export function FilesTools({ keyword, onKeyword, selected, onClear, onDelete }: FilesToolsProps) {
  const words = useFileWords()
  return (
    <div className="files-tools">
      <Input.Search
        allowClear
        aria-label={words.search}
        placeholder={words.search}
        value={keyword}
        onChange={event => onKeyword(event.target.value)}
      />
      {selected.length > 0 && (
        <>
          <span className="soft">{words.selected(selected.length)}</span>
          <Button danger icon={<DeleteOutlined />} onClick={onDelete}>
            {words.deleteSelected(selected.length)}
          </Button>
          <Button type="text" onClick={onClear}>
            {words.clear}
          </Button>
        </>
      )}
    </div>
  )
}
