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
