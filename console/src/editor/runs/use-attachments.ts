import { useEffect, useRef, useState } from 'react'
import { upload } from '../../api/upload.ts'

export interface Attachment {
  key: number
  name: string
  /** From 0 to 1. */
  progress: number
  /** Undefined until it is uploaded. */
  fileId: string | undefined
  error: unknown
}

let lastKey = 0

/** Files that go along with a question. They are uploaded as soon as they are chosen. */
export function useAttachments() {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const controllers = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const { current } = controllers
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])
  const change = (key: number, part: Partial<Attachment>): void =>
    setAttachments(all => all.map(each => (each.key === key ? { ...each, ...part } : each)))

  const add = async (file: File): Promise<void> => {
    lastKey += 1
    const key = lastKey
    const controller = new AbortController()
    controllers.current.set(key, controller)
    const fresh: Attachment = { key, name: file.name, progress: 0, fileId: undefined, error: undefined }
    setAttachments(all => [...all, fresh])
    try {
      const onProgress = (progress: number) => change(key, { progress })
      const uploaded = await upload(file, { onProgress, signal: controller.signal })
      change(key, { fileId: uploaded.file_id, progress: 1 })
    } catch (error) {
      if (!controller.signal.aborted) change(key, { error })
    }
  }
  const remove = (key: number): void => {
    controllers.current.get(key)?.abort()
    setAttachments(all => all.filter(each => each.key !== key))
  }
  return {
    attachments,
    add: (files: Iterable<File>) => void Promise.all([...files].map(add)),
    remove,
    fileIds: attachments.flatMap(({ fileId }) => fileId ?? []),
    isUploading: attachments.some(({ fileId, error }) => fileId === undefined && error === undefined),
  }
}
