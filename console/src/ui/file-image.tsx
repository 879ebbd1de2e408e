import { useEffect, useState } from 'react'
import { authorization, request } from '../api/request.ts'
import { Dialog } from './dialog.tsx'
import { defineWords } from './words.ts'
import './file-image.css'

const useFileImageWords = defineWords(
  {
    enlarge: (name: string) => `Enlarge ${name || 'image'}`,
    gone: (name: string) => `${name || 'Image'} (no longer available)`,
  },
  {
    enlarge: (name: string) => `放大${name === '' ? '图片' : ` ${name}`}`,
    gone: (name: string) => `${name || '图片'}（已无法显示）`,
  },
)

/** A thumbnail of an image of this server; enlarged on click. */
export function FileImage({ fileId, name }: { fileId: string; name: string }) {
  const words = useFileImageWords()
  const [isLarge, setIsLarge] = useState(false)
  const { address, hasFailed } = useFileAddress(fileId)
  if (hasFailed) return <span className="soft small">{words.gone(name)}</span>
  if (address === undefined) return <span className="file-image-space" />
  return (
    <>
      <button
        type="button"
        className="file-image"
        aria-label={words.enlarge(name)}
        onClick={() => setIsLarge(true)}
      >
        <img src={address} alt={name} />
      </button>
      <Dialog
        open={isLarge}
        onCancel={() => setIsLarge(false)}
        footer={null}
        mask={{ closable: true }}
        title={name}
        width="min(90vw, 70rem)"
      >
        <img className="file-image-large" src={address} alt={name} />
      </Dialog>
    </>
  )
}

export async function fileContent(fileId: string, signal?: AbortSignal): Promise<Blob> {
  const address = `/api/v1/files/${encodeURIComponent(fileId)}`
  return (await request(address, { headers: authorization(), ...(signal && { signal }) })).blob()
}

/** An object URL for a file's content: the real URL needs a token, which no URL may contain. */
function useFileAddress(fileId: string | undefined): {
  address: string | undefined
  hasFailed: boolean
} {
  const [state, setState] = useState<{ fileId?: string; address?: string; hasFailed: boolean }>({
    hasFailed: false,
  })
  useEffect(() => {
    if (fileId === undefined) return
    const left = new AbortController()
    let address: string | undefined
    fileContent(fileId, left.signal).then(
      content => {
        if (left.signal.aborted) return
        address = URL.createObjectURL(content)
        setState({ fileId, address, hasFailed: false })
      },
      () => left.signal.aborted || setState({ fileId, hasFailed: true }),
    )
    return () => {
      left.abort()
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [fileId])
  const isOwn = state.fileId === fileId
  return { address: isOwn ? state.address : undefined, hasFailed: isOwn && state.hasFailed }
}
