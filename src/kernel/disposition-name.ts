import { decodePercent } from './decode-percent.ts'

/** Headers are read as Latin-1, but servers also send names in UTF-8. */
const inUtf8 = (name: string): string => {
  if (/[^\x00-\xff]/.test(name)) return name
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'))
  } catch {
    return name
  }
}

/**
 * The file name in the Content-Disposition of a response, without folders; empty if there is none. Names are often in
 * UTF-8 or percent-encoded where the standard has only ASCII, and without the quotes that a space requires.
 */
export function dispositionName(header = ''): string {
  const short = header.slice(0, 2000)
  const extended = /filename\*\s*=\s*"?utf-8'[^']*'([^";\s]+)/i.exec(short)?.[1]
  const plain = /filename\s*=\s*(?:"((?:\\"|[^"])*)"|([^;]+))/i.exec(short)
  const name = decodePercent(
    extended ?? inUtf8(plain?.[1]?.replaceAll('\\"', '"') ?? plain?.[2]?.trim() ?? ''),
  )
  return name.split(/[/\\]/).at(-1)!
}
