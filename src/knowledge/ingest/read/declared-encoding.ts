/** What a page says of its own encoding, near its start. */
export const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 2048)).toString(
    'latin1',
  )
  const found =
    /^\s*<\?xml[^>]{0,200}\sencoding=["']([\w.:-]{1,40})["']/i.exec(head) ??
    /<meta[^>]{0,300}\bcharset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(head)
  return found?.[1]
}
