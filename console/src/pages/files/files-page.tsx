import { UploadOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import type { PageProps } from '../page-props.ts'
import { FilePreview } from './file-preview.tsx'
import { FileUploads, uploadFiles } from './file-uploads.tsx'
import { useFileWords } from './file-words.ts'
import { FilesEmpty } from './files-empty.tsx'
import { FilesTable } from './files-table.tsx'
import { FilesTools } from './files-tools.tsx'
import { UploadButton } from './upload-button.tsx'
import { useDeleteFiles } from './use-delete-files.tsx'
import { useDrop } from './use-drop.ts'
import { firstView, type StoredFile, useFiles } from './use-files.ts'
import './files-page.css'

export function FilesPage(_: PageProps) {
  const words = useFileWords()
  const may = useMay()
  const [keyword, setKeyword] = useState('')
  const [view, setView] = useState(firstView)
  const [selected, setSelected] = useState<StoredFile[]>([])
  const [previewed, setPreviewed] = useState<StoredFile>()
  const rested = useDebounced(keyword)
  useEffect(() => setView(before => ({ ...before, keyword: rested, page: 1 })), [rested])
  const files = useFiles(view)
  const isOver = useDrop(uploadFiles, may.write)
  const remove = useDeleteFiles(ids => {
    setSelected(before => before.filter(({ file_id }) => !ids.includes(file_id)))
    setPreviewed(before => (before && ids.includes(before.file_id) ? undefined : before))
  })
  const shown = files.data
  // What was deleted may have been all of the last page.
  const lastPage = Math.max(1, Math.ceil((shown?.total ?? 0) / view.pageSize))
  useEffect(() => {
    if (shown && view.page > lastPage) setView(before => ({ ...before, page: lastPage }))
  }, [shown, view.page, lastPage])
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={may.write && <UploadButton isPrimary onFiles={uploadFiles} />}
    >
      <FileUploads />
      <FilesTools
        keyword={keyword}
        onKeyword={setKeyword}
        selected={selected}
        onClear={() => setSelected([])}
        onDelete={() => remove(selected)}
      />
      {files.isError ? (
        <Failure error={files.error} onRetry={files.refetch} />
      ) : !shown ? (
        <Loading />
      ) : shown.total === 0 ? (
        <FilesEmpty keyword={view.keyword} onShowAll={() => setKeyword('')} onFiles={uploadFiles} />
      ) : (
        <FilesTable
          files={shown.items}
          total={shown.total}
          view={view}
          onView={setView}
          selected={selected}
          onSelect={setSelected}
          onPreview={setPreviewed}
          onDelete={remove}
        />
      )}
      {previewed && (
        <FilePreview
          file={previewed}
          onClose={() => setPreviewed(undefined)}
          onDelete={() => remove([previewed])}
        />
      )}
      {isOver && (
        <div className="files-drop">
          <UploadOutlined aria-hidden="true" />
          {words.drop}
        </div>
      )}
    </Page>
  )
}
