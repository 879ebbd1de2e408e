import { useEffect, useState } from 'react'
import { authorization, request } from '../../../api/request.ts'

export async function fileContent(fileId: string, signal?: AbortSignal): Promise<Blob> {
  const address = `/api/v1/files/${encodeURIComponent(fileId)}`
  return (await request(address, { headers: authorization(), ...(signal && { signal }) })).blob()
}

/** An address for a file's content inside this page: the real one takes a token, which no address may hold. */
export function useFileAddress(fileId: string | undefined): {
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
