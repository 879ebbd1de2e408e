import { limits } from '../../../../contract/limits.ts'
import { decodePercent } from '../../../../kernel/decode-percent.ts'
import type { Block, ReadBlocks } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { readHtml } from '../html/read-html.ts'
import { readText } from '../text/read-text.ts'

export interface Mail {
  subject: string
  /** Lines such as "From: …". */
  head: string[]
  html: string | undefined
  text: string | undefined
  /** Blocks of a body in another format. */
  blocks?: Iterable<Block>
  attachments: Attachment[]
}

interface Attachment {
  name: string
  bytes: Uint8Array
}

/** Reads an attachment like a file of its own. */
export type ReadAttachment = (attachment: Attachment) => Promise<ReadBlocks>

/** The ids of attachments that the body shows. An id alone says nothing: some programs give one to every attachment. */
export const shownAttachments = (html = ''): ReadonlySet<string> =>
  new Set(Array.from(html.matchAll(/cid:([^"'\s<>)]+)/gi), ([, id = '']) => decodePercent(id)))

const maxHeadingLevel = 6

/** Lowers a heading below that of the subject, or of the attachment. */
const lowered = (block: Block, levels: number): Block =>
  block.kind === 'heading' ? { ...block, level: Math.min(block.level + levels, maxHeadingLevel) } : block

/** An unreadable attachment does not make the mail fail; if the server was too busy, it is tried again. */
const isPassedOver = (error: unknown): error is DocumentFailure =>
  error instanceof DocumentFailure && error.code !== 'conversion_timed_out'

/** The reason without the advice, whose words would otherwise match searches in place of the mail's own words. */
const reasonOf = ({ message }: DocumentFailure): string => /^.*?\.(?=\s|$)/s.exec(message)?.[0] ?? message

/** Its blocks, or the reason why it cannot be read. */
export async function* attachedBlocks(attachment: Attachment, read: ReadAttachment): AsyncGenerator<Block> {
  try {
    yield* await read(attachment)
  } catch (error) {
    if (!isPassedOver(error)) throw error
    yield { kind: 'paragraph', text: `(${attachment.name}: not read. ${reasonOf(error)})` }
  }
}

async function* attachmentBlocks(given: Attachment, read: ReadAttachment): AsyncGenerator<Block> {
  const attachment = { ...given, name: given.name.trim() }
  yield { kind: 'heading', level: 2, text: attachment.name }
  for await (const block of attachedBlocks(attachment, read)) yield lowered(block, 2)
}

function* bodyBlocks({ html, text, blocks }: Mail): Generator<Block> {
  if (blocks) yield* blocks
  else if (html !== undefined && html.trim() !== '') yield* readHtml(html)
  else if (text !== undefined) yield* readText(text)
}

/** The subject, who wrote it to whom, the body, and each attachment below its name. */
export async function* mailBlocks(mail: Mail, read: ReadAttachment): AsyncGenerator<Block> {
  if (mail.subject.trim() !== '') yield { kind: 'heading', level: 1, text: mail.subject }
  if (mail.head.length > 0) yield { kind: 'paragraph', text: mail.head.join('\n') }
  // The title of an HTML body would otherwise end the section of the subject.
  for (const block of bodyBlocks(mail)) yield lowered(block, 1)
  for (const attachment of mail.attachments.slice(0, limits.mailAttachments))
    yield* attachmentBlocks(attachment, read)
  const left = mail.attachments.length - limits.mailAttachments
  if (left > 0) yield { kind: 'paragraph', text: `(${left} more attachments were not read.)` }
}
