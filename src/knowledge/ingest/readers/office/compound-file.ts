import { DocumentFailure } from '../../document-failure.ts'

const magic = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

/** Old Office files, and new ones behind a password, are compound files where a zip archive is expected. */
export const refuseCompoundFile = (bytes: Buffer): void => {
  if (!bytes.subarray(0, magic.length).equals(magic)) return
  if (bytes.includes(encryptedPackage))
    throw new DocumentFailure('encrypted', 'The file is protected with a password. Upload it without one.')
  throw new DocumentFailure(
    'unsupported_format',
    'This is a file of an old Office version. Save it as .docx, .xlsx or .pptx and upload that.',
  )
}
