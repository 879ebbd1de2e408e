import { createContext, useContext, useEffect, useState } from 'react'
import { isUnreachable } from '../api/api-failure.ts'
import { useRetryWhenReachable } from '../ui/use-retry-when-reachable.ts'
import { defineWords } from '../ui/words.ts'
import { icons } from './icons.tsx'
import type { FilePlace, ReceivedFile, VisitorApi } from './visitor-api.ts'

const useWords = defineWords(
  { gone: 'This file is no longer available', download: (name: string) => `Download ${name}` },
  { gone: '文件已不存在', download: (name: string) => `下载 ${name}` },
)

/** The conversation from which the files of the shown messages are read. */
export const FilesOf = createContext<{ api: VisitorApi; conversationId: string | undefined } | undefined>(
  undefined,
)

interface MessageFilesProps {
  messageId: string
  fileIds: readonly string[]
}

/** The files of a message: images, audio and video inline, others as downloads. */
export function MessageFiles({ messageId, fileIds }: MessageFilesProps) {
  if (fileIds.length === 0) return null
  return (
    <div className="message-files">
      {fileIds.map(id => (
        <MessageFile key={id} messageId={messageId} fileId={id} />
      ))}
    </div>
  )
}

function MessageFile({ messageId, fileId }: { messageId: string; fileId: string }) {
  const words = useWords()
  const { file, error } = useFile(messageId, fileId)
  if (error !== undefined && !isUnreachable(error)) return <span className="soft small">{words.gone}</span>
  if (!file) return <span className="file-image-space" />
  const { name, mimeType, address } = file
  if (mimeType.startsWith('image/'))
    return (
      <a className="file-image" href={address} target="_blank" rel="noreferrer">
        <img src={address} alt={name} />
      </a>
    )
  // biome-ignore lint/a11y/useMediaCaption: what was said stands beside it
  if (mimeType.startsWith('audio/')) return <audio controls src={address} aria-label={name} />
  // biome-ignore lint/a11y/useMediaCaption: there are no captions
  if (mimeType.startsWith('video/')) return <video controls src={address} aria-label={name} />
  return (
    <a className="file-link" href={address} download={name} aria-label={words.download(name)}>
      {icons.file} {name}
    </a>
  )
}

/** An object URL for a file, whose real address needs the visitor's secret. */
function useFile(messageId: string, fileId: string): { file?: ReceivedFile; error?: unknown } {
  const from = useContext(FilesOf)
  const [state, setState] = useState<{ file?: ReceivedFile; error?: unknown }>({})
  const [retries, setRetries] = useState(0)
  useRetryWhenReachable(state.error, () => setRetries(retries + 1))
  const { api, conversationId } = from ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry reads the file again
  useEffect(() => {
    if (!api || conversationId === undefined) return
    const left = new AbortController()
    let address: string | undefined
    const place: FilePlace = { conversation_id: conversationId, message_id: messageId, file_id: fileId }
    readFile(api, place, left.signal).then(
      file => {
        address = file.address
        if (left.signal.aborted) URL.revokeObjectURL(address)
        else setState({ file })
      },
      (error: unknown) => left.signal.aborted || setState({ error }),
    )
    return () => {
      left.abort()
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [api, conversationId, messageId, fileId, retries])
  return state
}

/** A message that was just sent may not be stored yet. */
async function readFile(api: VisitorApi, place: FilePlace, signal: AbortSignal): Promise<ReceivedFile> {
  for (let tries = 0; ; tries++)
    try {
      return await api.file(place, signal)
    } catch (error) {
      if (tries >= 3) throw error
      await api.chat.pause(tries)
      signal.throwIfAborted()
    }
}
