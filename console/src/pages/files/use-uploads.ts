import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { upload } from '../../api/upload.ts'
import { filesKey } from './use-files.ts'

export interface Upload {
  key: number
  file: File
  /** 0 to 1. */
  share: number
  state: 'waiting' | 'sending' | 'done' | 'failed'
  error?: unknown
}

/** More at once would only share the same line. */
const atOnce = 3

let serial = 0

/** Uploads many files, a few at a time, and tells how far each is. */
export function useUploads() {
  const queries = useQueryClient()
  const [uploads, setUploads] = useState<Upload[]>([])
  const line = useRef({ waiting: [] as Upload[], sending: 0 })

  const change = (key: number, news: Partial<Upload>): void =>
    setUploads(before => before.map(each => (each.key === key ? { ...each, ...news } : each)))

  const send = async ({ key, file }: Upload): Promise<void> => {
    change(key, { state: 'sending', share: 0 })
    try {
      await upload(file, { onProgress: share => change(key, { share }) })
      change(key, { state: 'done', share: 1 })
      await queries.invalidateQueries({ queryKey: filesKey })
    } catch (error) {
      change(key, { state: 'failed', error })
    }
  }

  const goOn = (): void => {
    while (line.current.sending < atOnce) {
      const next = line.current.waiting.shift()
      if (!next) return
      line.current.sending++
      send(next).finally(() => {
        line.current.sending--
        goOn()
      })
    }
  }

  const add = (files: Iterable<File>): void => {
    const fresh = [...files].map((file): Upload => ({ key: ++serial, file, share: 0, state: 'waiting' }))
    setUploads(before => [...before.filter(({ state }) => state !== 'done'), ...fresh])
    line.current.waiting.push(...fresh)
    goOn()
  }

  const retry = (failed: Upload): void => {
    change(failed.key, { state: 'waiting' })
    line.current.waiting.push(failed)
    goOn()
  }

  /** Forgets what has ended; what is still under way goes on. */
  const clear = (): void =>
    setUploads(before => before.filter(({ state }) => state === 'waiting' || state === 'sending'))

  return { uploads, add, retry, clear }
}
