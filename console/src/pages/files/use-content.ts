import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { addressOf, request } from '../../api/request.ts'
import { previewKindOf, textBytes } from './preview-kind.ts'
import type { StoredFile } from './use-files.ts'

async function fetchContent(file: StoredFile, signal: AbortSignal): Promise<Blob> {
  const isText = previewKindOf(file) === 'text'
  const address = addressOf('GET /api/v1/files/{file_id}', { params: { file_id: file.file_id } })
  const isCut = isText && file.size > textBytes
  const response = await request(address, {
    ...(isCut && { headers: { range: `bytes=0-${textBytes - 1}` } }),
    signal,
  })
  return new Blob([await response.arrayBuffer()], { type: isText ? 'text/plain' : file.mime_type })
}

/** The bytes of a file, fetched with the token: an address alone would not be answered. */
export const useContent = (file: StoredFile) =>
  useQuery({
    queryKey: ['file content', file.file_id],
    queryFn: ({ signal }) => fetchContent(file, signal),
    enabled: previewKindOf(file) !== 'none' && file.size > 0,
    // Content never changes, but it may be large.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  })

/** An address for a blob, for as long as it is shown. */
export function useBlobAddress(blob: Blob): string {
  const address = useMemo(() => URL.createObjectURL(blob), [blob])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  return address
}
