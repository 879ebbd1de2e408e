import { makeZip } from './make-zip.ts'

export type DocxPart =
  | string
  | { heading: string; level: 1 | 2 | 3 }
  | { title: string }
  | { bullets: string[] }
  | { numbers: string[] }
  | { table: string[][] }
  | { text: string; footnote: string }
  | 'page break'

const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const contentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
/** Their numbers in numbering.xml. */
const lists = { bullets: 1, numbers: 2 }

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`
const paragraph = (content: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`
const styled = (style: string, text: string): string => paragraph(run(text), `<w:pStyle w:val="${style}"/>`)
const listed = (list: number) => (text: string) =>
  paragraph(run(text), `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr>`)
const tableOf = (rows: string[][]): string => {
  const row = (cells: string[]) =>
    `<w:tr>${cells.map(text => `<w:tc>${paragraph(run(text))}</w:tc>`).join('')}</w:tr>`
  return `<w:tbl><w:tblPr/>${rows.map(row).join('')}</w:tbl>`
}

const part = (name: string, content: string): string =>
  `${declaration}<w:${name} xmlns:w="${main}" xmlns:r="${relationships}">${content}</w:${name}>`
const style = (id: string, name: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`
const numbering = (id: number, format: string, text: string): string =>
  `<w:abstractNum w:abstractNumId="${id}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl></w:abstractNum>`
const link = (type: string, target: string): string =>
  `<Relationship Id="${type}" Type="${relationships}/${type}" Target="${target}"/>`
const links = (content: string): string =>
  `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`

/** A Word document. */
export function makeDocx(parts: DocxPart[]): Uint8Array {
  const footnotes: string[] = []
  const bodyOf = (given: DocxPart): string => {
    if (given === 'page break') return paragraph('<w:r><w:br w:type="page"/></w:r>')
    if (typeof given === 'string') return paragraph(run(given))
    if ('heading' in given) return styled(`Heading${given.level}`, given.heading)
    if ('title' in given) return styled('Title', given.title)
    if ('table' in given) return tableOf(given.table)
    if ('bullets' in given) return given.bullets.map(listed(lists.bullets)).join('')
    if ('numbers' in given) return given.numbers.map(listed(lists.numbers)).join('')
    const id = footnotes.push(given.footnote)
    return paragraph(`${run(given.text)}<w:r><w:footnoteReference w:id="${id}"/></w:r>`)
  }
  const body = parts.map(bodyOf).join('')
  const content = {
    document: `<w:body>${body}<w:sectPr/></w:body>`,
    styles: [1, 2, 3].reduce(
      (styles, level) => styles + style(`Heading${level}`, `heading ${level}`),
      style('Title', 'Title'),
    ),
    numbering: `${numbering(1, 'bullet', '●')}${numbering(2, 'decimal', '%1.')}${[1, 2].map(id => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`).join('')}`,
    footnotes: footnotes
      .map((text, at) => `<w:footnote w:id="${at + 1}">${paragraph(run(text))}</w:footnote>`)
      .join(''),
  }
  const names = Object.keys(content)
  const typeOf = (name: string) =>
    `<Override PartName="/word/${name}.xml" ContentType="${contentType}.${name}${name === 'document' ? '.main' : ''}+xml"/>`
  return makeZip({
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${names.map(typeOf).join('')}</Types>`,
    '_rels/.rels': links(link('officeDocument', 'word/document.xml')),
    'word/_rels/document.xml.rels': links(
      names
        .slice(1)
        .map(name => link(name, `${name}.xml`))
        .join(''),
    ),
    ...Object.fromEntries(
      Object.entries(content).map(([name, xml]) => [`word/${name}.xml`, part(name, xml)]),
    ),
  })
}
