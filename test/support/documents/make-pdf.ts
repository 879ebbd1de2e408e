import { deflateSync } from 'node:zlib'
import PDFDocument from 'pdfkit'

export interface PdfText {
  text: string
  size?: number
  bold?: boolean
  /** Points from the upper left corner; without it the text flows. */
  at?: { x: number; y: number; width?: number }
  /** Runs upwards from there. */
  turned?: boolean
}

export interface PdfContent {
  /** The parts of each page; a page without any has no text, like a scan. */
  pages: (string | PdfText)[][]
  /** Titles of bookmarks. */
  outline?: string[]
  /** Text fields on the last page. */
  fields?: { name: string; value: string; x: number; y: number }[]
  userPassword?: string
  ownerPassword?: string
  /** A font file and the name of the face in it, for text beyond Latin. */
  font?: { file: string; face: string }
}

/** A PDF as pdfkit writes it. */
export const makePdf = (content: PdfContent): Promise<Uint8Array> => {
  const { userPassword, ownerPassword, font } = content
  const document = new PDFDocument({
    autoFirstPage: false,
    size: 'A4',
    margin: 72,
    ...(userPassword === undefined ? {} : { userPassword }),
    ...(ownerPassword === undefined ? {} : { ownerPassword }),
  })
  const chunks: Buffer[] = []
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  for (const parts of content.pages) {
    // Text near the edges must not start a new page.
    document.addPage({ size: 'A4', margins: { top: 72, left: 72, right: 72, bottom: 0 } })
    if (font) document.font(font.file, font.face)
    if (parts.length === 0) document.rect(72, 72, 300, 400).fill('#888888')
    for (const part of parts) {
      const { text, size = 11, at, turned, bold } = typeof part === 'string' ? { text: part } : part
      document.fontSize(size)
      if (!font) document.font(bold ? 'Helvetica-Bold' : 'Helvetica')
      if (at && turned) {
        document.save().rotate(-90, { origin: [at.x, at.y] })
        document.text(text, at.x, at.y, { width: 450 }).restore()
        document.x = document.y = 72
      } else if (at) document.text(text, at.x, at.y, { width: at.width ?? 450 })
      else document.text(text, { width: 450 }).moveDown(0.8)
    }
  }
  for (const title of content.outline ?? []) document.outline.addItem(title)
  if (content.fields) document.font('Helvetica').initForm()
  for (const { name, value, x, y } of content.fields ?? []) document.formText(name, x, y, 200, 16, { value })
  return new Promise(resolve => {
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))))
    document.end()
  })
}

/** A PDF of one line in a font with a predefined character map, as old Chinese programs write it. */
export const makeCidPdf = (encoding: string, ordering: string, codes: Uint8Array): Uint8Array =>
  makeCidsPdf([{ encoding, ordering, codes }])

/** One line for each font. */
export const makeCidsPdf = (
  fonts: readonly { encoding: string; ordering: string; codes: Uint8Array; letterSpacing?: number }[],
): Uint8Array => {
  const lines = fonts.map(
    ({ codes, letterSpacing = 0 }, at) =>
      `/F${at} 14 Tf ${letterSpacing} Tc 1 0 0 1 72 ${750 - 40 * at} Tm <${Buffer.from(codes).toString('hex')}> Tj`,
  )
  const stream = `BT ${lines.join(' ')} ET`
  const names = fonts.map((_, at) => `/F${at} ${6 + 2 * at} 0 R`)
  return makePdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << ${names.join(' ')} >> >> >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /FontDescriptor /FontName /Song /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>',
    ...fonts.flatMap(({ encoding, ordering }, at) => [
      `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [${7 + 2 * at} 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /FontDescriptor 5 0 R /DW 1000 /W [1 [250]] /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    ]),
  ])
}

/** A PDF assembled from its objects, numbered from 1; the first is the catalog. */
export const makePdfOfObjects = (objects: string[]): Uint8Array => {
  let text = '%PDF-1.4\n'
  const places: string[] = []
  for (const [index, object] of objects.entries()) {
    places.push(`${String(text.length).padStart(10, '0')} 00000 n \n`)
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return new Uint8Array(Buffer.from(text + table + trailer, 'latin1'))
}

/** A PDF with its objects in a compressed stream, as most programs write it, and a stream as the last object. */
export const makeCompressedPdf = (objects: string[], stream: string): Uint8Array => {
  let at = 0
  const offsets = objects.map((object, index) => {
    const offset = `${index + 1} ${at}`
    at += object.length + 1
    return offset
  })
  const head = `${offsets.join(' ')}\n`
  const packed = deflateSync(`${head}${objects.join('\n')}`).toString('latin1')
  const last = objects.length + 1
  const parts = [
    '%PDF-1.5\n',
    `${last} 0 obj\n${stream}\nendobj\n`,
    `${last + 1} 0 obj\n<< /Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream\nendobj\n`,
  ]
  const [first, second, table] = parts.map((_, index) => parts.slice(0, index + 1).join('').length)
  const entry = (kind: number, place: number, index: number) => [kind, place >> 8, place & 255, index]
  const entries = [
    entry(0, 0, 0),
    ...objects.map((_, index) => entry(2, last + 1, index)),
    ...[first!, second!, table!].map(place => entry(1, place, 0)),
  ]
  const rows = Buffer.from(entries.flat()).toString('latin1')
  const xref = `${last + 2} 0 obj\n<< /Type /XRef /Size ${last + 3} /W [1 2 1] /Root 1 0 R /Length ${rows.length} >>\nstream\n${rows}\nendstream\nendobj\n`
  return new Uint8Array(Buffer.from(`${parts.join('')}${xref}startxref\n${table}\n%%EOF\n`, 'latin1'))
}

/** Of its objects, 4 and 6 are pages with text, and the content of the page 5 cannot be unpacked. */
export const makeDamagedPdf = (kids = '4 0 R 5 0 R 6 0 R'): Uint8Array => {
  const stream = (content: string, entries = '') =>
    `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`
  const page = (content: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R /Resources << /Font << /F 3 0 R >> >> >>`
  const draw = (text: string) => `BT /F 12 Tf 72 750 Td (${text}) Tj ET`
  const packed = deflateSync(draw('Lost.'))
  // The type of the first block does not exist.
  packed[2] = 7
  return makePdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${kids.split('R').length - 1} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...[page(7), page(8), page(9)],
    ...[
      stream(draw('First page.')),
      stream(packed.toString('latin1'), '/Filter /FlateDecode'),
      stream(draw('Last page.')),
    ],
  ])
}
