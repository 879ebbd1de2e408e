/** A download must not leave its folder or hide itself, whatever the program that saves it does. */
const harmless = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f/\\]/g, '_')
    .replace(/^\.+/, dots => '_'.repeat(dots.length))

/** `%` goes too: some clients decode it even here (RFC 6266, appendix D). */
const asciiFallback = (name: string): string => name.replace(/[^\x20-\x7e]|["%]/gu, '_')

/** What encodeURIComponent leaves alone although RFC 8187 does not allow it. */
const extendedValue = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The header that names a download (RFC 6266), with a fallback for clients that read ASCII only. */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string): string => {
  const safe = harmless(name)
  return `${kind}; filename="${asciiFallback(safe)}"; filename*=UTF-8''${extendedValue(safe)}`
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const dispositionType = new RegExp(`[ \\t]*${token}[ \\t]*`, 'y')
const parameter = new RegExp(
  `;[ \\t]*(${token})[ \\t]*=[ \\t]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*`,
  'y',
)

/** `undefined` for anything that breaks the grammar or gives one parameter twice. */
const parametersOf = (header: string): Map<string, string> | undefined => {
  dispositionType.lastIndex = 0
  if (!dispositionType.test(header)) return undefined
  const parameters = new Map<string, string>()
  let position = dispositionType.lastIndex
  while (position < header.length) {
    parameter.lastIndex = position
    const [, key, bare, quoted] = parameter.exec(header) ?? []
    if (key === undefined || parameters.has(key.toLowerCase())) return undefined
    parameters.set(key.toLowerCase(), bare ?? quoted!.replace(/\\(.)/g, '$1'))
    position = parameter.lastIndex
  }
  return parameters
}

const decodeExtended = (value: string): string | undefined => {
  const [, encoded] =
    /^utf-8'[A-Za-z0-9-]*'((?:[!#$&+.^_`|~0-9A-Za-z-]|%[0-9A-Fa-f]{2})*)$/i.exec(value) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Node hands header bytes over as Latin-1, while clients that skip `filename*` write UTF-8. */
const decodePlain = (value: string): string | undefined => {
  if (/[^\u0000-\u00ff]/.test(value)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return undefined
  }
}

/** The file name in the Content-Disposition of a request; `undefined` when there is none or it is malformed. */
export const fileNameFrom = (header: string | undefined): string | undefined => {
  const parameters = parametersOf(header ?? '')
  const extended = parameters?.get('filename*')
  if (extended !== undefined) return decodeExtended(extended)
  const plain = parameters?.get('filename')
  return plain === undefined ? undefined : decodePlain(plain)
}
