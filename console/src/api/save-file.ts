import { addressOf, request } from './request.ts'

/**
 * Lets the browser save a file of the server. It is fetched with the token first: a plain link could not carry one,
 * and opened in a tab a page among the files would run as part of the console.
 */
export async function saveFile(fileId: string, name: string): Promise<void> {
  const address = addressOf('GET /api/v1/files/{file_id}', { params: { file_id: fileId } })
  const response = await request(address, {})
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name.split('/').at(-1) ?? name
  link.click()
  // The browser has begun to save by then; the memory is given back.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
