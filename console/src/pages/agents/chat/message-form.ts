import type { DataType } from './chat-turns.ts'

/** How files are sent: pictures alone as pictures, recordings alone as speech, all else as files. */
export function dataTypeFor(mimeTypes: readonly string[]): DataType {
  if (mimeTypes.length === 0) return 'text'
  for (const type of ['image', 'audio', 'video'] as const)
    if (mimeTypes.every(mimeType => mimeType.startsWith(`${type}/`))) return type === 'audio' ? 'voice' : type
  return 'file'
}

/** An action as people read it; what is no JSON stays as it is. */
export function prettyAction(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2)
  } catch {
    return content
  }
}

/** An address that a link in an answer may lead to; undefined for all that could do something here. */
export function safeAddress(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined
  return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol) ? href : undefined
}

/** The file that the address of a picture names; pictures come from nowhere else. */
export const fileInAddress = (source: string | undefined): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(?:\/api\/v1\/files\/)?(file_[A-Za-z0-9_-]{1,64})$/.exec(source ?? '')?.[1]
