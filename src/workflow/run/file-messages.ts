import { isJsonRecord } from '../json-record.ts'
import type { MessageType, OutputMessage } from '../step.ts'

const typeOf = (mimeType: unknown): MessageType => {
  const [kind] = String(mimeType).split('/')
  if (kind === 'image' || kind === 'video') return kind
  return kind === 'audio' ? 'voice' : 'file'
}

/** The messages that send files, one for each type, in the order of the first file of each. */
export function fileMessages(files: unknown): OutputMessage[] {
  const byType = new Map<MessageType, string[]>()
  for (const file of Array.isArray(files) ? files : []) {
    // The outputs of a failed node may be replaced by anything.
    if (!isJsonRecord(file) || typeof file['file_id'] !== 'string') continue
    const type = typeOf(file['mime_type'])
    byType.set(type, [...(byType.get(type) ?? []), file['file_id']])
  }
  return [...byType].map(([dataType, fileIds]) => ({ dataType, content: '', fileIds }))
}
