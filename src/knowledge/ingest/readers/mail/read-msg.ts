import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgReaderPackage, { type FieldsData } from '@kenjiuno/msgreader'
import type { Block } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { readRtf } from '../rtf/read-rtf.ts'
import { codePageOfLocale, encodingOfCodePage } from '../text/code-pages.ts'
import { declaredEncoding, decodeText, encodingOfBytes } from '../text/decode-text.ts'
import { type Mail, mailBlocks, type ReadAttachment, shownAttachments } from './mail.ts'

/** The package is CommonJS and has its class as a member. */
const { default: MsgReader } = msgReaderPackage

const broken = (cause: unknown): DocumentFailure =>
  new DocumentFailure('broken_file', 'The Outlook message is damaged.', { cause })

const nameOf = ({ name, smtpAddress, email }: FieldsData): string => {
  const address = smtpAddress ?? (email?.includes('@') ? email : undefined)
  return name && address && name !== address ? `${name} <${address}>` : (name ?? address ?? '')
}

const recipients = (fields: FieldsData, type: string, label: string): string[] => {
  const names = (fields.recipients ?? []).filter(({ recipType }) => recipType === type).map(nameOf)
  return names.length > 0 ? [`${label}: ${names.join(', ')}`] : []
}

const sender = ({ senderName, senderSmtpAddress, senderEmail }: FieldsData): string[] => {
  const from = nameOf({
    dataType: null,
    name: senderName,
    smtpAddress: senderSmtpAddress,
    email: senderEmail,
  })
  return from === '' ? [] : [`From: ${from}`]
}

const htmlOf = ({ bodyHtml, html, internetCodepage }: FieldsData): string | undefined => {
  if (bodyHtml !== undefined || html === undefined) return bodyHtml
  const declared = internetCodepage === undefined ? undefined : encodingOfCodePage(internetCodepage)
  return decodeText(html, declaredEncoding(html) ?? declared)
}

/** Whether the text has bytes beyond ASCII that were read as one character each. */
const isUndecoded = (text: string): boolean => /[\x80-\xff]/.test(text) && !/[^\x00-\xff]/.test(text)

const declaredCodePage = ({ messageCodepage, messageLocaleId, internetCodepage }: FieldsData) =>
  messageCodepage ?? (messageLocaleId === undefined ? internetCodepage : codePageOfLocale(messageLocaleId))

/** Undefined if there is nothing to decode. Messages of old programs are not in Unicode. */
const encodingOfTexts = (fields: FieldsData): string | undefined => {
  const { subject, body, bodyHtml, senderName, recipients: people = [], attachments: files = [] } = fields
  const names = [...people.map(({ name }) => name), ...files.map(({ fileName }) => fileName)]
  const texts = [subject, body, bodyHtml, senderName, ...names].filter(text => text !== undefined)
  const undecoded = texts.filter(isUndecoded)
  if (undecoded.length === 0) return undefined
  const codePage = declaredCodePage(fields)
  const declared = codePage === undefined ? undefined : encodingOfCodePage(codePage)
  return encodingOfBytes(Buffer.from(undecoded.join('\n'), 'latin1'), declared) ?? 'windows-1252'
}

const openMessage = (bytes: Uint8Array): InstanceType<typeof MsgReader> => {
  const open = (ansiEncoding?: string) => {
    const reader = new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    if (ansiEncoding !== undefined) reader.parserConfig = { ansiEncoding }
    return reader
  }
  const reader = open()
  // The properties that name the encoding come after the texts.
  const encoding = encodingOfTexts(reader.getFileData())
  return encoding === undefined ? reader : open(encoding)
}

/** Without an HTML body, it is not known which images the body shows. */
const isPartOfBody = (
  { attachmentHidden, pidContentId, fileName = '' }: FieldsData,
  shown: ReadonlySet<string> | undefined,
): boolean =>
  attachmentHidden === true ||
  (pidContentId !== undefined &&
    /\.(?:png|jpe?g|gif|bmp)$/i.test(fileName) &&
    (shown === undefined || shown.has(pidContentId.replace(/^<|>$/g, ''))))

/** Some messages have their text only in compressed Rich Text Format. */
const rtfOf = ({ compressedRtf }: FieldsData): Iterable<Block> | undefined => {
  if (!compressedRtf || compressedRtf.length === 0) return undefined
  return readRtf(Uint8Array.from(decompressRTF(Array.from(compressedRtf))))
}

const mailOf = (reader: InstanceType<typeof MsgReader>): Mail => {
  const fields = reader.getFileData()
  if (fields.error !== undefined) throw broken(new Error(fields.error))
  const html = htmlOf(fields)
  const hasBody = (html ?? fields.body ?? '').trim() !== ''
  const date = fields.messageDeliveryTime ?? fields.clientSubmitTime ?? fields.creationTime
  const shown = html === undefined ? undefined : shownAttachments(html)
  const attachments = (fields.attachments ?? []).filter(attachment => !isPartOfBody(attachment, shown))
  return {
    subject: fields.subject ?? '',
    head: [
      ...sender(fields),
      ...recipients(fields, 'to', 'To'),
      ...recipients(fields, 'cc', 'Cc'),
      ...(date === undefined ? [] : [`Date: ${date}`]),
    ],
    html,
    text: fields.body,
    blocks: hasBody ? undefined : rtfOf(fields),
    attachments: attachments.map((attachment, index) => {
      const { fileName, content } = reader.getAttachment(attachment)
      const isMessage = attachment.innerMsgContent === true
      const name = fileName || attachment.name || `attachment-${index + 1}${isMessage ? '.msg' : ''}`
      return { name: isMessage && !/\.msg$/i.test(name) ? `${name}.msg` : name, bytes: content }
    }),
  }
}

/** A message as Outlook saves it. */
export async function* readMsg(bytes: Uint8Array, read: ReadAttachment): AsyncGenerator<Block> {
  let mail: Mail
  try {
    mail = mailOf(openMessage(bytes))
  } catch (error) {
    throw error instanceof DocumentFailure ? error : broken(error)
  }
  yield* mailBlocks(mail, read)
}
