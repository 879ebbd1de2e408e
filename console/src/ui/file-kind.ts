const known: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'text/markdown': 'Markdown',
  'text/html': 'HTML',
  'text/csv': 'CSV',
  'application/json': 'JSON',
  'application/epub+zip': 'EPUB',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint',
}

/** The file type in one word: its common name, or the extension. */
export function kindOfFile(name: string, mimeType: string): string {
  const found = known[mimeType.split(';')[0]!.trim()]
  if (found !== undefined) return found
  const ending = /\.([\p{L}\p{N}]{1,8})$/u.exec(name)?.[1]
  return ending === undefined ? (mimeType.split('/').at(-1) ?? mimeType) : ending.toUpperCase()
}
