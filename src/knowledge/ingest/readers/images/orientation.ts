export interface Bitmap {
  width: number
  height: number
  rgba: Uint8Array
}

/** The tag of the orientation in EXIF data: 1 to 8, as a camera was held. */
const orientationTag = 0x0112

/** The orientation in the first directory of TIFF data. */
function orientationIn(view: DataView, start: number, end: number): number {
  const littleEndian = view.getUint16(start) === 0x4949
  const directory = start + view.getUint32(start + 4, littleEndian)
  if (directory + 2 > end) return 1
  const count = view.getUint16(directory, littleEndian)
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12
    if (entry + 12 > end) return 1
    if (view.getUint16(entry, littleEndian) === orientationTag) return view.getUint16(entry + 8, littleEndian)
  }
  return 1
}

/** How the pixels of a JPEG file have to be turned; 1 if the file does not say. */
export function orientationOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return 1
  for (let at = 2; at + 18 < view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1)
    const length = view.getUint16(at + 2)
    const end = Math.min(at + 2 + length, view.byteLength)
    // "Exif" and two zero bytes, then a TIFF file.
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return orientationIn(view, at + 10, end)
    if (marker === 0xda || length < 2) return 1
    at += 2 + length
  }
  return 1
}

/** The image as it is shown. Orientations 5 to 8 exchange width and height. */
export function turnUpright({ width, height, rgba }: Bitmap, orientation: number): Bitmap {
  if (!(orientation >= 2 && orientation <= 8)) return { width, height, rgba }
  const isTurned = orientation >= 5
  const [newWidth, newHeight] = isTurned ? [height, width] : [width, height]
  const from = new Uint32Array(rgba.slice().buffer)
  const to = new Uint32Array(from.length)
  for (let y = 0; y < newHeight; y++)
    for (let x = 0; x < newWidth; x++) {
      const [column, row] = isTurned ? [y, x] : [x, y]
      const flipsX = orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8
      const flipsY = orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7
      const sourceX = flipsX ? width - 1 - column : column
      const sourceY = flipsY ? height - 1 - row : row
      to[y * newWidth + x] = from[sourceY * width + sourceX]!
    }
  return { width: newWidth, height: newHeight, rgba: new Uint8Array(to.buffer) }
}
