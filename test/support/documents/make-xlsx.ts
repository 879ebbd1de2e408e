import writeXlsxFile, { type SheetData } from 'write-excel-file/node'

export interface XlsxSheet {
  name: string
  rows: SheetData
}

/** An Excel workbook as write-excel-file writes it. */
export const makeXlsx = async (sheets: XlsxSheet[]): Promise<Uint8Array> => {
  const file = writeXlsxFile(sheets.map(({ name, rows }) => ({ data: rows, sheet: name })))
  return new Uint8Array(await file.toBuffer())
}
