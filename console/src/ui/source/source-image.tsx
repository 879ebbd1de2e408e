import { useEffect, useState } from 'react'
import { addressOf, request } from '../../api/request.ts'

interface SourceImageProps {
  fileId: string
  name: string
  /** Called when the file is missing, or not an image that this browser can show. */
  onFailed: () => void
}

/** An image of the knowledge base. It is fetched first, because its address needs a token, which no URL may contain. */
export function SourceImage({ fileId, name, onFailed }: SourceImageProps) {
  const [address, setAddress] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once per file
  useEffect(() => {
    const left = new AbortController()
    let made = ''
    const load = async (): Promise<void> => {
      const url = addressOf('GET /api/v1/files/{file_id}', { params: { file_id: fileId } })
      made = URL.createObjectURL(await (await request(url, { signal: left.signal })).blob())
      if (!left.signal.aborted) setAddress(made)
    }
    load().catch(() => left.signal.aborted || onFailed())
    return () => {
      left.abort()
      URL.revokeObjectURL(made)
    }
  }, [fileId])
  if (address === undefined) return null
  return (
    <div className="source-image">
      <img src={address} alt={name} onError={onFailed} />
    </div>
  )
}
