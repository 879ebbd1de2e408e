import pptxgen from 'pptxgenjs'

export interface PptxSlide {
  title?: string
  texts?: string[]
  table?: string[][]
  notes?: string
}

/** The package's types declare a default export that differs from what Node imports. */
const Presentation = pptxgen as unknown as typeof pptxgen.default

/** A PowerPoint presentation as pptxgenjs writes it. */
export const makePptx = async (slides: PptxSlide[]): Promise<Uint8Array> => {
  const presentation = new Presentation()
  presentation.defineSlideMaster({
    title: 'TITLED',
    objects: [
      { placeholder: { options: { name: 'title', type: 'title', x: 0.5, y: 0.2, w: 9, h: 1 }, text: '' } },
    ],
  })
  for (const { title, texts = [], table, notes } of slides) {
    const slide = presentation.addSlide({ masterName: 'TITLED' })
    for (const [index, text] of texts.entries()) slide.addText(text, { x: 0.5, y: 1.5 + index, w: 9, h: 0.8 })
    if (table) slide.addTable(table.map(row => row.map(text => ({ text }))))
    // The title comes last in the file, as if it was added last.
    if (title !== undefined) slide.addText(title, { placeholder: 'title' })
    if (notes !== undefined) slide.addNotes(notes)
  }
  return new Uint8Array((await presentation.write({ outputType: 'nodebuffer' })) as Buffer)
}
