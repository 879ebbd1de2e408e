import { ApiFailure } from './api-failure.ts'
import type { CallData } from './operations.ts'
import { authorization } from './request.ts'

export type UploadedFile = CallData<'POST /api/v1/files/upload'>

/** Uploads a file as it is, telling how far it is (0 to 1). fetch cannot tell that yet. */
export function upload(
  file: File,
  { onProgress, signal }: { onProgress?: (share: number) => void; signal?: AbortSignal } = {},
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    sending.open('POST', `/api/v1/files/upload?name=${encodeURIComponent(file.name)}`)
    for (const [name, value] of Object.entries(authorization())) sending.setRequestHeader(name, value)
    // Not the file's own type: JSON would be read as a request. What a file is, its content and name tell.
    sending.setRequestHeader('content-type', 'application/octet-stream')
    sending.responseType = 'json'
    sending.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 1 : loaded / total)
    sending.onerror = () => reject(new ApiFailure('The server cannot be reached', { reason: 'unreachable' }))
    sending.onabort = () => reject(new DOMException('Aborted', 'AbortError'))
    sending.onload = () => {
      const answer = (sending.response ?? {}) as Record<string, unknown>
      if (answer['code'] === 0) return resolve(answer['data'] as UploadedFile)
      const details = (answer['data'] ?? {}) as {
        reason?: string
        errors?: { path: string; message: string }[]
      }
      reject(
        new ApiFailure(String(answer['message'] ?? `HTTP ${sending.status}`), {
          reason: details.reason ?? 'unknown',
          status: sending.status,
          ...(details.errors && { errors: details.errors }),
        }),
      )
    }
    signal?.addEventListener('abort', () => sending.abort())
    sending.send(file)
  })
}
