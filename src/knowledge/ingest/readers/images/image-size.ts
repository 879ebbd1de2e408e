interface ImageSize {
  width: number
  height: number
}

/** Markers of a JPEG frame: SOF0 to SOF15 without the tables DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function sizeOfJpeg(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // Fill bytes, and markers without a length.
    const isAlone = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    at += isAlone ? (marker === 0xff ? 1 : 2) : 2 + view.getUint16(at + 2)
  }
  return undefined
}

function sizeOfWebp(view: DataView, kind: string): ImageSize | undefined {
  if (kind === 'VP8X') {
    const read = (at: number): number => 1 + view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
    return { width: read(24), height: read(27) }
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  const read = (at: number): number => view.getUint16(at, true) & 0x3fff
  return kind === 'VP8 ' ? { width: read(26), height: read(28) } : undefined
}

/** The size that an image declares, before it is decoded; undefined for anything else than PNG, JPEG, GIF, BMP, WebP. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('latin1')
  if (text(1, 4) === 'PNG') return { width: view.getUint32(16), height: view.getUint32(20) }
  if (view.getUint16(0) === 0xffd8) return sizeOfJpeg(view)
  if (text(0, 4) === 'GIF8') return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  // The height of a bitmap is negative where its first row is the top one.
  if (text(0, 2) === 'BM')
    return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
  return text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP' ? sizeOfWebp(view, text(12, 16)) : undefined
}
