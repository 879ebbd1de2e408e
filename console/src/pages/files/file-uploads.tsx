import { useQueryClient } from '@tanstack/react-query'
import { upload } from '../../api/upload.ts'
import { UploadPanel } from '../../ui/uploads/upload-panel.tsx'
import type { UploadQueue } from '../../ui/uploads/upload-queue.ts'
import { uploadsTo, useUploads } from '../../ui/uploads/use-uploads.ts'
import { filesKey } from './use-files.ts'

const queueOfFiles = (): UploadQueue =>
  uploadsTo('files', { send: async (file, options) => (await upload(file, options)).file_id })

export const uploadFiles = (files: readonly File[]): void =>
  queueOfFiles().put(files.map(file => ({ file, name: file.name })))

/** How far uploads are. A part of its own, so that the table is not drawn again at every step. */
export function FileUploads() {
  const queries = useQueryClient()
  const queue = queueOfFiles()
  const entries = useUploads(queue, () => queries.invalidateQueries({ queryKey: filesKey }))
  return (
    <div className="files-uploads">
      <UploadPanel queue={queue} entries={entries} />
    </div>
  )
}
