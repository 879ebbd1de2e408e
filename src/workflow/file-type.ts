export type FileType = 'image' | 'document' | 'audio' | 'video' | 'other'

const documentTypes =
  /^(text\/|application\/(pdf|json|xml|rtf|msword|epub\+zip|vnd\.(ms-|openxmlformats-|oasis\.)))/

export function fileType(mimeType: string): FileType {
  const [start] = mimeType.split('/')
  if (start === 'image' || start === 'audio' || start === 'video') return start
  return documentTypes.test(mimeType) ? 'document' : 'other'
}

/** In lower case, with its dot; empty if the name has none. */
export const fileExtension = (name: string): string =>
  /\.[^.\s/\\]{1,20}$/.exec(name)?.[0].toLowerCase() ?? ''
