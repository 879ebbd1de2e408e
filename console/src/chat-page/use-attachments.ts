import { useEffect, useRef, useState } from 'react'
import { failureText, useFailureWords } from './failure-words.ts'

export interface Attachment {
  key: number
  file: File
  preview: string | undefined
  uploaded: { fileId: string; mimeType: string } | undefined
  problem: string | undefined
}

type Upload = (file: File, signal: AbortSignal) => Promise<{ file_id: string; mime_type: string }>

let lastKey = 0

/** Files for the next message; each is uploaded as soon as it is chosen. */
export function useAttachments(
  upload: Upload,
  { maxFiles, maxBytes }: { maxFiles: number; maxBytes: number },
) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const words = useFailureWords()
  const uploads = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const running = uploads.current
    return () => {
      for (const controller of running.values()) controller.abort()
    }
  }, [])

  const change = (key: number, next: Partial<Attachment>): void =>
    setAttachments(all => all.map(each => (each.key === key ? { ...each, ...next } : each)))

  const begin = (file: File): Attachment => {
    lastKey += 1
    const key = lastKey
    const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined
    const begun = { key, file, preview, uploaded: undefined, problem: undefined }
    if (file.size > maxBytes) return { ...begun, problem: words.too_large }
    const controller = new AbortController()
    uploads.current.set(key, controller)
    upload(file, controller.signal)
      .then(
        ({ file_id, mime_type }) => change(key, { uploaded: { fileId: file_id, mimeType: mime_type } }),
        error => controller.signal.aborted || change(key, { problem: failureText(words, error) }),
      )
      .finally(() => uploads.current.delete(key))
    return begun
  }

  const forget = (some: readonly Attachment[]): void => {
    for (const { key, preview } of some) {
      uploads.current.get(key)?.abort()
      if (preview !== undefined) URL.revokeObjectURL(preview)
    }
  }

  return {
    attachments,
    add: (files: Iterable<File>): void => {
      const fresh = [...files].slice(0, maxFiles - attachments.length).map(begin)
      setAttachments(all => [...all, ...fresh])
    },
    remove: (attachment: Attachment): void => {
      forget([attachment])
      setAttachments(all => all.filter(({ key }) => key !== attachment.key))
    },
    clear: (): void => {
      forget(attachments)
      setAttachments([])
    },
  }
}
