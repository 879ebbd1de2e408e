import { failureFrom, unreachable } from './api-failure.ts'
import type { CallData } from './operations.ts'
import { authorization, withToken } from './request.ts'

export type UploadedFile = CallData<'POST /api/v1/files/upload'>

interface UploadOptions {
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

/** Uploads a file and reports its progress (0 to 1), which fetch cannot do yet. */
export const upload = (file: File, options: UploadOptions = {}): Promise<UploadedFile> =>
  withToken(token => send(file, token, options), options.signal)

function send(
  file: File,
  token: string | undefined,
  { onProgress, signal }: UploadOptions,
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    sending.open('POST', `/api/v1/files/upload?name=${encodeURIComponent(file.name)}`)
    for (const [name, value] of Object.entries(authorization(token))) sending.setRequestHeader(name, value)
    // Not the file's own type, because JSON would be parsed as a request. The server detects the type by content and
    // name.
    sending.setRequestHeader('content-type', 'application/octet-stream')
    sending.responseType = 'json'
    sending.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 1 : loaded / total)
    sending.onerror = () => reject(unreachable())
    sending.onabort = () => reject(new DOMException('Aborted', 'AbortError'))
    sending.onload = () => {
      const answer = sending.response as { code?: number; data: UploadedFile } | null
      if (answer?.code === 0) resolve(answer.data)
      else reject(failureFrom(answer, { status: sending.status }))
    }
    signal?.addEventListener('abort', () => sending.abort())
    sending.send(file)
  })
}
