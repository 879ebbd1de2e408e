import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

const photon = createRequire(import.meta.url)(
  '@silvia-odwyer/photon-node',
) as typeof import('@silvia-odwyer/photon-node')

/** Dark bars on white, like lines of text; each seed gives another image. */
function drawing(seed: number, [width, height]: [number, number]): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255)
  for (let y = 4; y < height - 4; y++)
    for (let x = 4; x < width - 4; x++)
      if (y % 10 < 4 && (x + y * seed) % (seed + 5) < 3)
        rgba.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
  return rgba
}

/** An image file without text in it: what a model sees there, tests decide. */
export function makeImage(
  seed: number,
  format: 'png' | 'jpeg' | 'webp' = 'png',
  size: [number, number] = [60, 80],
): Uint8Array {
  const image = new photon.PhotonImage(drawing(seed, size), ...size)
  const bytes = {
    png: () => image.get_bytes(),
    jpeg: () => image.get_bytes_jpeg(90),
    webp: () => image.get_bytes_webp(),
  }
  return new Uint8Array(bytes[format]())
}

/** An uncompressed bitmap of 24 bits per pixel. */
export function makeBmp(): Uint8Array {
  const [width, height] = [40, 40]
  const row = width * 3
  const bytes = Buffer.alloc(54 + row * height, 255)
  bytes.fill(0, 0, 54)
  bytes.write('BM', 0)
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  bytes.fill(0, 54 + row * 10, 54 + row * 20)
  return new Uint8Array(bytes)
}

/** Grey pages of 20 × 20 pixels, uncompressed: the upper half is as dark as given, the lower half white. */
export function makeTiff(shades: number[]): Uint8Array {
  const side = 20
  const entries = 9
  const pageBytes = 2 + entries * 12 + 4 + side * side
  const bytes = Buffer.alloc(8 + shades.length * pageBytes)
  bytes.write('II*\0', 0, 'latin1')
  bytes.writeUInt32LE(8, 4)
  for (const [index, shade] of shades.entries()) {
    const start = 8 + index * pageBytes
    const pixels = start + 2 + entries * 12 + 4
    const tags = [
      [256, side],
      [257, side],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, pixels],
      [277, 1],
      [278, side],
      [279, side * side],
    ]
    bytes.writeUInt16LE(entries, start)
    for (const [at, [tag, value]] of tags.entries()) {
      const entry = start + 2 + at * 12
      bytes.writeUInt16LE(tag!, entry)
      bytes.writeUInt16LE(4, entry + 2)
      bytes.writeUInt32LE(1, entry + 4)
      bytes.writeUInt32LE(value!, entry + 8)
    }
    bytes.writeUInt32LE(index + 1 < shades.length ? start + pageBytes : 0, start + 2 + entries * 12)
    bytes.fill(shade, pixels, pixels + (side * side) / 2)
    bytes.fill(255, pixels + (side * side) / 2, pixels + side * side)
  }
  return new Uint8Array(bytes)
}

/** Pages of a PDF: a text, the seed of a scanned image, both with the image on the whole page, drawing operators with or without a text, or nothing. */
export function makeScan(
  pages: (string | number | { text: string; seed: number } | { drawn: string; text?: string } | null)[],
): Promise<Uint8Array> {
  const document = new PDFDocument({ autoFirstPage: false, size: [200, 280] })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  for (const page of pages) {
    document.addPage()
    if (typeof page === 'string') document.text(page)
    if (page !== null && typeof page === 'object' && 'drawn' in page)
      document.addContent(page.drawn).text(page.text ?? '')
    else if (page !== null && typeof page === 'object')
      document
        .image(Buffer.from(makeImage(page.seed)), 0, 0, { width: 200, height: 280 })
        .text(page.text, 20, 20)
    if (typeof page === 'number') document.image(Buffer.from(makeImage(page)), 20, 20, { width: 150 })
  }
  return new Promise(resolve => {
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))))
    document.end()
  })
}
