import { useEffect, useRef, useState } from 'react'

export interface Attachment {
  key: number
  file: File
  /** A thumbnail, for images. */
  preview: string | undefined
  /** 0 to 1. */
  progress: number
  uploaded: { fileId: string; mimeType: string } | undefined
  problem: string | undefined
}

interface UploadOptions {
  onProgress: (progress: number) => void
  signal: AbortSignal
}

interface AttachmentOptions {
  upload: (file: File, options: UploadOptions) => Promise<{ file_id: string; mime_type: string }>
  /** Maximum number of files in one message. */
  maxFiles: number
  /** Why a file was not uploaded, in words. */
  problemOf: (error: unknown) => string
}

let lastKey = 0

/** Files for the next message; each is uploaded as soon as it is chosen. */
export function useAttachments({ upload, maxFiles, problemOf }: AttachmentOptions) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const [leftOut, setLeftOut] = useState(0)
  const uploads = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const running = uploads.current
    return () => {
      for (const controller of running.values()) controller.abort()
    }
  }, [])

  const change = (key: number, next: Partial<Attachment>): void =>
    setAttachments(all => all.map(each => (each.key === key ? { ...each, ...next } : each)))

  const send = ({ key, file }: Attachment): void => {
    const controller = new AbortController()
    uploads.current.set(key, controller)
    upload(file, { onProgress: progress => change(key, { progress }), signal: controller.signal })
      .then(
        ({ file_id, mime_type }) =>
          change(key, { progress: 1, uploaded: { fileId: file_id, mimeType: mime_type } }),
        error => controller.signal.aborted || change(key, { problem: problemOf(error) }),
      )
      .finally(() => uploads.current.delete(key))
  }

  const begin = (file: File): Attachment => {
    lastKey += 1
    const preview = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined
    const begun = { key: lastKey, file, preview, progress: 0, uploaded: undefined, problem: undefined }
    send(begun)
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
    /** How many of the last added files exceeded the limit. */
    leftOut,
    add: (files: Iterable<File>): void => {
      const asked = [...files]
      const fresh = asked.slice(0, maxFiles - attachments.length).map(begin)
      setLeftOut(asked.length - fresh.length)
      setAttachments(all => [...all, ...fresh])
    },
    retry: (attachment: Attachment): void => {
      change(attachment.key, { progress: 0, problem: undefined })
      send(attachment)
    },
    remove: (attachment: Attachment): void => {
      forget([attachment])
      setLeftOut(0)
      setAttachments(all => all.filter(({ key }) => key !== attachment.key))
    },
    clear: (): void => {
      forget(attachments)
      setLeftOut(0)
      setAttachments([])
    },
  }
}
