import { type LevelFormat, ListCounter } from './list-numbers.ts'
import { parseXml } from './xml-parser.ts'
import type { ZipArchive } from './zip-archive.ts'

export interface ListPosition {
  list?: string
  level?: number
}

type Levels = Map<number, Partial<LevelFormat>>

interface AbstractList {
  levels: Levels
  /** Levels by the paragraph style that uses them. */
  levelOf: Map<string, number>
  counter: ListCounter
  /** A list that is defined by a style, and the style that another list defines. */
  usesStyle?: string
  definesStyle?: string
}

interface ListUse {
  abstract: string
  /** Formats that replace those of the abstract list. */
  levels: Levels
  /** Numbers at which levels restart when the use first appears. */
  starts: Map<number, number>
  used: boolean
}

const digits = /^\d{1,9}$/

/** Numbers list items as Word does, because the numbers are not in the text. */
export class DocxLists {
  readonly #abstracts = new Map<string, AbstractList>()
  readonly #uses = new Map<string, ListUse>()

  async read(archive: ZipArchive, part: string): Promise<void> {
    let abstract: AbstractList | undefined
    let use: ListUse | undefined
    let level = 0
    await parseXml(archive.chunks(part), {
      open: (element, { abstractNumId = '', numId = '', ilvl = '0', val = '' }) => {
        const levels = use?.levels ?? abstract?.levels
        const format = (changes: Partial<LevelFormat>) =>
          levels?.set(level, { ...levels.get(level), ...changes })
        if (element === 'abstractNum') {
          abstract = { levels: new Map(), levelOf: new Map(), counter: new ListCounter() }
          use = undefined
          this.#abstracts.set(abstractNumId, abstract)
        } else if (element === 'num') {
          use = { abstract: '', levels: new Map(), starts: new Map(), used: false }
          this.#uses.set(numId, use)
        } else if (element === 'abstractNumId' && use) use.abstract = val
        else if (element === 'numStyleLink' && abstract) abstract.usesStyle = val
        else if (element === 'styleLink' && abstract) abstract.definesStyle = val
        else if (element === 'lvl' || element === 'lvlOverride') level = Number(ilvl)
        else if (element === 'startOverride' && digits.test(val)) use?.starts.set(level, Number(val))
        else if (element === 'start' && digits.test(val)) format({ start: Number(val) })
        else if (element === 'numFmt') format({ format: val })
        else if (element === 'pStyle' && !use) abstract?.levelOf.set(val, level)
        else if (element === 'lvlText') format({ template: val })
        else if (element === 'isLgl') format({ digitsOnly: val !== '0' && val !== 'false' })
      },
    })
  }

  #abstractOf(id: string): AbstractList | undefined {
    const found = this.#abstracts.get(id)
    if (found?.usesStyle === undefined) return found
    return [...this.#abstracts.values()].find(({ definesStyle }) => definesStyle === found.usesStyle) ?? found
  }

  /** The marker before an item; empty for other paragraphs. */
  marker({ list, level: own }: ListPosition, style = ''): string {
    if (list === undefined || list === '0') return ''
    const use = this.#uses.get(list)
    const abstract = use && this.#abstractOf(use.abstract)
    if (!abstract) return '- '
    const level = own ?? abstract.levelOf.get(style) ?? 0
    const formatAt = (each: number): LevelFormat | undefined => {
      const found = use.levels.get(each) ?? abstract.levels.get(each)
      if (found?.format === undefined) return undefined
      // By the standard, a level without a start counts from 0.
      return { template: `%${each + 1}.`, start: 0, ...found, format: found.format }
    }
    // Uses of one abstract list continue its numbers, unless they say where they start.
    if (!use.used) for (const [each, start] of use.starts) abstract.counter.restart(each, start)
    use.used = true
    const format = formatAt(level)?.format
    const label = abstract.counter.next(level, formatAt).trim()
    if (format === undefined || format === 'bullet') return '- '
    return label === '' ? '' : `${label} `
  }
}
