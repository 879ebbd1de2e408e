import type { ListPlace } from './docx-styles.ts'
import { parseXml } from './xml-events.ts'
import type { XmlHandler } from './xml-handler.ts'
import type { ZipArchive } from './zip-archive.ts'

const maxLevel = 8

/** Numbers the items of lists as Word would, since the numbers are not in the text. */
export class DocxLists {
  /** By abstract list, then by level: how it counts. */
  readonly #formats = new Map<string, Map<number, string>>()
  readonly #abstracts = new Map<string, string>()
  readonly #counters = new Map<string, number[]>()

  async read(archive: ZipArchive, part: string): Promise<void> {
    let abstract: string | undefined
    let list: string | undefined
    let level = 0
    const handler: XmlHandler = {
      open: (element, attributes) => {
        const { val } = attributes
        if (element === 'abstractNum') {
          abstract = attributes['abstractNumId'] ?? ''
          this.#formats.set(abstract, new Map())
        } else if (element === 'num') list = attributes['numId']
        else if (element === 'abstractNumId' && list !== undefined) this.#abstracts.set(list, val ?? '')
        else if (element === 'lvl') level = Number(attributes['ilvl'] ?? 0)
        else if (element === 'numFmt' && abstract !== undefined && list === undefined)
          this.#formats.get(abstract)?.set(level, val ?? '')
      },
      close: element => {
        if (element === 'abstractNum') abstract = undefined
        if (element === 'num') list = undefined
      },
    }
    await parseXml(archive.chunks(part), handler)
  }

  /** The mark before an item; nothing for a paragraph that is none. */
  mark({ list, level = 0 }: ListPlace): string {
    if (list === undefined || list === '0') return ''
    const abstract = this.#abstracts.get(list)
    const format = abstract === undefined ? undefined : this.#formats.get(abstract)?.get(level)
    if (format === 'none') return ''
    if (format === undefined || format === 'bullet') return '- '
    return `${this.#count(list, Math.min(level, maxLevel))}. `
  }

  #count(list: string, level: number): number {
    const counters = this.#counters.get(list) ?? []
    const count = (counters[level] ?? 0) + 1
    // Deeper levels begin again under the next item.
    counters.length = level
    counters[level] = count
    this.#counters.set(list, counters)
    return count
  }
}
