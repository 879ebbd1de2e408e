import { DeleteOutlined, UploadOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { upload } from '../../api/upload.ts'
import { useMay } from '../../session/use-session.ts'
import { DropCover } from '../../ui/drop-cover.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { UploadPanel } from '../../ui/uploads/upload-panel.tsx'
import type { UploadQueue } from '../../ui/uploads/upload-queue.ts'
import { uploadsTo, useUploads } from '../../ui/uploads/use-uploads.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useDroppedFiles } from '../../ui/use-dropped-files.ts'
import type { PageProps } from '../page-props.ts'
import { FilePreview } from './file-preview.tsx'
import { useFileWords } from './file-words.ts'
import { FilesTable } from './files-table.tsx'
import { useDeleteFiles } from './use-delete-files.tsx'
import { filesKey, firstView, type StoredFile, useFiles } from './use-files.ts'
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
  const isOver = useDroppedFiles(data => uploadFiles([...data.files]), may.write)
  const remove = useDeleteFiles(ids => {
    setSelected(before => before.filter(({ file_id }) => !ids.includes(file_id)))
    setPreviewed(before => (before && ids.includes(before.file_id) ? undefined : before))
  })
  const shown = files.data
  // The last page may be empty after deleting.
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
      {files.isError && <QueryFailure query={files} />}
      {files.isPending && <Loading />}
      {shown?.total === 0 && (
        <FilesEmpty keyword={view.keyword} onShowAll={() => setKeyword('')} onFiles={uploadFiles} />
      )}
      {shown && shown.total > 0 && (
        <FilesTable
          files={shown.items}
          total={shown.total}
          isCapped={shown.total_capped}
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
      {isOver && <DropCover>{words.drop}</DropCover>}
    </Page>
  )
}

const queueOfFiles = (): UploadQueue =>
  uploadsTo('files', { send: async (file, options) => (await upload(file, options)).file_id })

const uploadFiles = (files: readonly File[]): void =>
  queueOfFiles().put(files.map(file => ({ file, name: file.name })))

/** Upload progress, as a separate component so that the table is not rendered at every step. */
function FileUploads() {
  const queries = useQueryClient()
  const queue = queueOfFiles()
  const entries = useUploads(queue, () => queries.invalidateQueries({ queryKey: filesKey }))
  return (
    <div className="files-uploads">
      <UploadPanel queue={queue} entries={entries} />
    </div>
  )
}

interface FilesEmptyProps {
  keyword: string
  onShowAll: () => void
  onFiles: (files: File[]) => void
}

/** Empty states: no matches, or no files. */
function FilesEmpty({ keyword, onShowAll, onFiles }: FilesEmptyProps) {
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

interface FilesToolsProps {
  keyword: string
  onKeyword: (keyword: string) => void
  selected: StoredFile[]
  onClear: () => void
  onDelete: () => void
}

/** The search field, and actions for the selected files. */
function FilesTools({ keyword, onKeyword, selected, onClear, onDelete }: FilesToolsProps) {
  const words = useFileWords()
  return (
    <div className="files-tools">
      <ListSearch label={words.search} value={keyword} onChange={onKeyword} />
      {selected.length > 0 && (
        <>
          <span className="soft">{words.selected(selected.length)}</span>
          <Button danger icon={<DeleteOutlined aria-hidden />} onClick={onDelete}>
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

/** Opens the browser's file dialog. */
function UploadButton({
  isPrimary = false,
  onFiles,
}: {
  isPrimary?: boolean
  onFiles: (files: File[]) => void
}) {
  const words = useFileWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} onFiles={onFiles} />
      <Button
        {...(isPrimary && { type: 'primary' })}
        icon={<UploadOutlined aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {words.upload}
      </Button>
    </>
  )
}
