import burner from '@kenjiuno/msgreader/lib/Burner.js'

interface Message {
  subject: string
  body: string
  from: string
  to: string
  html?: string
  attachments: { name: string; content: Uint8Array; contentId?: string }[]
  /** Of a program without Unicode: how it writes texts, and 32-bit properties by their tags. */
  ansi?: { encode(text: string): Uint8Array; properties: Record<number, number> }
}

const [directory, document, root] = [1, 2, 5]

/** An Outlook message: a compound file with one stream per property. */
export const makeMsg = ({ subject, body, html, from, to, attachments, ansi }: Message): Uint8Array => {
  const entries: Parameters<typeof burner.burn>[0] = [
    { name: 'Root Entry', type: root!, length: 0, children: [] },
  ]
  const add = (parent: number, name: string, bytes?: Uint8Array): number => {
    entries.push(
      bytes
        ? { name, type: document!, length: bytes.length, binaryProvider: () => Uint8Array.from(bytes) }
        : { name, type: directory!, length: 0, children: [] },
    )
    entries[parent]!.children!.push(entries.length - 1)
    return entries.length - 1
  }
  const text = (parent: number, property: string, value: string): number =>
    ansi
      ? add(parent, `__substg1.0_${property}001E`, ansi.encode(value))
      : add(parent, `__substg1.0_${property}001F`, Buffer.from(value, 'utf16le'))
  text(0, '0037', subject)
  text(0, '1000', body)
  if (html !== undefined) text(0, '1013', html)
  text(0, '0C1A', from)
  const numbers = Object.entries(ansi?.properties ?? {})
  const stream = Buffer.alloc(32 + numbers.length * 16)
  for (const [index, [tag, value]] of numbers.entries()) {
    stream.writeUInt32LE(Number(tag), 32 + index * 16)
    stream.writeUInt32LE(value, 40 + index * 16)
  }
  if (ansi) add(0, '__properties_version1.0', stream)
  const recipient = add(0, '__recip_version1.0_#00000000')
  text(recipient, '3001', to)
  // The kind of the recipient, as a 32-bit number: 1 is "to".
  const kind = Buffer.alloc(24)
  kind.writeUInt32LE(0x0c150003, 8)
  kind.writeUInt32LE(1, 16)
  add(recipient, '__properties_version1.0', kind)
  for (const [index, { name, content, contentId }] of attachments.entries()) {
    const attachment = add(0, `__attach_version1.0_#0000000${index}`)
    text(attachment, '3707', name)
    if (contentId !== undefined) text(attachment, '3712', contentId)
    add(attachment, '__substg1.0_37010102', content)
  }
  return burner.burn(entries)
}
