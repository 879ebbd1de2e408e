import { Button } from 'antd'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFileWords } from './file-words.ts'
import { UploadButton } from './upload-button.tsx'

interface FilesEmptyProps {
  keyword: string
  onShowAll: () => void
  onFiles: (files: File[]) => void
}

/** Nothing was found, or there is nothing yet. */
export function FilesEmpty({ keyword, onShowAll, onFiles }: FilesEmptyProps) {
  const words = useFileWords()
  const may = useMay()
  if (keyword.trim() !== '')
    return (
      <EmptyState title={words.noneTitle} actions={<Button onClick={onShowAll}>{words.showAll}</Button>}>
        {words.none(keyword.trim())}
      </EmptyState>
    )
  return (
    <EmptyState
      title={words.emptyTitle}
      actions={
        may.write && (
          <>
            <UploadButton onFiles={onFiles} />
            <Button href="#/knowledge">{words.toKnowledge}</Button>
          </>
        )
      }
    >
      {may.write ? words.empty : words.emptyReader}
    </EmptyState>
  )
}
