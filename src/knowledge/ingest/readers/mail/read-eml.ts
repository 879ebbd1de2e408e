import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { decodeText } from '../text/decode-text.ts'
import { type Mail, mailBlocks, type ReadAttachment, shownAttachments } from './mail.ts'

const nameOf = (address: Address): string => {
  if (address.group) return address.group.map(nameOf).join(', ')
  const { name, address: email = '' } = address
  return name ? (email ? `${name} <${email}>` : name) : email
}

const line = (label: string, addresses: (Address | undefined)[] = []): string[] => {
  const names = addresses.flatMap(address => (address ? nameOf(address) : [])).filter(name => name !== '')
  return names.length > 0 ? [`${label}: ${names.join(', ')}`] : []
}

/** Some programs save messages in UTF-16, or with a mark before the first header that would be part of its name. */
const inUtf8 = (bytes: Uint8Array): Uint8Array => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3)
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  // Names of headers are ASCII.
  return isMarked || first === 0 || second === 0 ? Buffer.from(decodeText(bytes)) : bytes
}

const bigEndian =
  /charset\s{0,5}=\s{0,5}"?utf-16\b(?=(?:[^\n]|\n(?!\r?\n)){0,2000}\n\r?\n(?:\/v[89+/]|=FE=FF|\xfe\xff))/gi

/** The parser reads `charset=utf-16` as little-endian, whatever the byte order mark at the start of the text. */
const withByteOrder = (bytes: Uint8Array): Uint8Array => {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!message.includes('utf-16') && !message.includes('UTF-16')) return bytes
  return Buffer.from(message.toString('latin1').replace(bigEndian, '$&be'), 'latin1')
}

const parse = async (bytes: Uint8Array): Promise<Email> => {
  try {
    // Messages inside become attachments, which have their own limits.
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      attachmentEncoding: 'arraybuffer',
      maxNestingDepth: 32,
    })
  } catch (error) {
    throw new DocumentFailure('broken_file', 'The message is damaged or nested too deeply.', { cause: error })
  }
}

const pageResource =
  /^(?:image|font)\/|^text\/(?:css|javascript|xml)$|^application\/(?:(?:x-)?javascript|(?:x-)?font|vnd\.ms-officetheme$|x-mso$)/

/** Styles, scripts and images of a saved page have an address, and no name as attachments have. */
const isPartOfBody = (
  { contentId, mimeType, filename, disposition }: Attachment,
  shown: ReadonlySet<string>,
): boolean =>
  (mimeType.startsWith('image/') && shown.has(contentId?.replace(/^<|>$/g, '') ?? '')) ||
  (!filename && disposition !== 'attachment' && pageResource.test(mimeType))

/** A message as mail programs save it (`.eml`), or a page with its parts (`.mht`). */
export async function* readEml(bytes: Uint8Array, read: ReadAttachment): AsyncGenerator<Block> {
  const email = await parse(withByteOrder(inUtf8(bytes)))
  const hasDate = email.date !== undefined && !Number.isNaN(Date.parse(email.date))
  const shown = shownAttachments(email.html)
  const mail: Mail = {
    subject: email.subject ?? '',
    head: [
      ...line('From', [email.from]),
      ...line('To', email.to),
      ...line('Cc', email.cc),
      ...(hasDate ? [`Date: ${email.date}`] : []),
    ],
    html: email.html,
    text: email.text,
    attachments: email.attachments
      .filter(attachment => !isPartOfBody(attachment, shown))
      .map(({ filename, mimeType, content }, index) => ({
        name:
          filename ??
          (mimeType === 'message/rfc822' ? `message-${index + 1}.eml` : `attachment-${index + 1}`),
        bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer),
      })),
  }
  yield* mailBlocks(mail, read)
}
