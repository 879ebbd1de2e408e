import type { DataType } from './chat-turns.ts'

/** How files are sent: only images as images, only audio as voice, anything else as files. */
export function dataTypeFor(mimeTypes: readonly string[]): DataType {
  if (mimeTypes.length === 0) return 'text'
  for (const type of ['image', 'audio', 'video'] as const)
    if (mimeTypes.every(mimeType => mimeType.startsWith(`${type}/`))) return type === 'audio' ? 'voice' : type
  return 'file'
}

/** A readable action; invalid JSON stays as it is. */
export function prettyAction(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2)
  } catch {
    return content
  }
}

/** A safe URL for a link in an answer; undefined for anything that could run code here. */
export function safeAddress(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined
  return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol) ? href : undefined
}

/** The file that an image URL refers to; images are loaded from nowhere else. */
export const fileInAddress = (source: string | undefined): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(?:\/api\/v1\/files\/)?(file_[A-Za-z0-9_-]{1,64})$/.exec(source ?? '')?.[1]
