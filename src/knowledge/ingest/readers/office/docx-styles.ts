import type { ListPosition } from './docx-lists.ts'
import { parseXml } from './xml-parser.ts'
import type { ZipArchive } from './zip-archive.ts'

/** Properties that a paragraph has directly or inherits from its style. */
export interface ParagraphProperties extends ListPosition {
  /** Counts from 0; 9 and above is running text. */
  outline?: number
}

interface Style extends ParagraphProperties {
  name: string
  base?: string
}

const numberIn = (text = ''): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

/** Applies a property element to its paragraph or style. */
export const applyProperty = (target: ParagraphProperties, name: string, val?: string): void => {
  if (name === 'outlineLvl') target.outline = numberIn(val)
  else if (name === 'numId') target.list = val
  else if (name === 'ilvl') target.level = numberIn(val)
}

const headingName = /^(?:heading|标题|標題|überschrift|titre)\s*([1-9])$/i
const maxBases = 20

export class DocxStyles {
  readonly #styles = new Map<string, Style>()

  async read(archive: ZipArchive, part: string): Promise<void> {
    let style: Style = { name: '' }
    await parseXml(archive.chunks(part), {
      open: (element, { styleId: id, val }) => {
        if (element === 'style') {
          style = { name: '' }
          if (id !== undefined) this.#styles.set(id, style)
        } else if (element === 'name') style.name = val?.trim() ?? ''
        else if (element === 'basedOn') style.base = val
        else applyProperty(style, element, val)
      },
    })
  }

  /** The style and its base styles. The limit also ends cycles. */
  #chain(id: string | undefined): Style[] {
    const chain: Style[] = []
    let style = id === undefined ? undefined : this.#styles.get(id)
    while (style && chain.length < maxBases) {
      chain.push(style)
      style = style.base === undefined ? undefined : this.#styles.get(style.base)
    }
    return chain
  }

  isContents(id: string | undefined): boolean {
    return this.#chain(id).some(({ name }) => /^(toc|目录)\s*[1-9]$/i.test(name))
  }

  isTitle(id: string | undefined): boolean {
    return this.#chain(id).some(({ name }) => /^(title|标题|標題)$/i.test(name)) || id === 'Title'
  }

  /** Counts from 1; `undefined` is running text. */
  headingLevel(id: string | undefined, own: number | undefined): number | undefined {
    if (own !== undefined) return own < 9 ? own + 1 : undefined
    for (const { name, outline } of this.#chain(id)) {
      if (outline !== undefined) return outline < 9 ? outline + 1 : undefined
      const named = headingName.exec(name)?.[1]
      if (named !== undefined) return Number(named)
    }
    // A document without a styles part still uses their names.
    const known = this.#styles.size === 0 ? /^heading ?([1-9])$/i.exec(id ?? '')?.[1] : undefined
    return known === undefined ? undefined : Number(known)
  }

  listPosition(id: string | undefined, own: ListPosition): ListPosition {
    const chain = this.#chain(id)
    return {
      list: own.list ?? chain.find(({ list }) => list !== undefined)?.list,
      level: own.level ?? chain.find(({ level }) => level !== undefined)?.level,
    }
  }
}
