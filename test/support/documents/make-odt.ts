import { makeZip } from './make-zip.ts'

const namespaces = ['office', 'text', 'table', 'draw', 'presentation', 'style', 'xlink']
  .map(name => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')

const types = { odt: 'text', ods: 'spreadsheet', odp: 'presentation' }

/** An OpenDocument file with the given body. `manifest` is added to its manifest. */
export const makeOdt = (
  body: string,
  {
    kind = 'odt',
    styles = '',
    manifest = '',
    masterStyles,
    parts,
  }: {
    kind?: keyof typeof types
    styles?: string
    manifest?: string
    masterStyles?: string
    parts?: Record<string, string>
  } = {},
): Uint8Array =>
  makeZip({
    ...parts,
    ...(masterStyles !== undefined && { 'styles.xml': masterStyles }),
    mimetype: `application/vnd.oasis.opendocument.${types[kind]}`,
    'META-INF/manifest.xml': `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:m">${manifest}</manifest:manifest>`,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${namespaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${types[kind]}>${body}</office:${types[kind]}></office:body></office:document-content>`,
  })
