import { mathLines, scripted } from './math-text.ts'
import type { XmlAttributes, XmlEnd } from './xml-parser.ts'

/** Brackets and operators as the properties of an element name them. */
type Signs = Partial<Record<string, string>>

interface Part {
  children: string[]
  signs: Signs
}

const asMathMl = new Map([
  ['f', 'mfrac'],
  ['sSup', 'msup'],
  ['sSub', 'msub'],
  ['sSubSup', 'msubsup'],
  ['limLow', 'munder'],
  ['limUpp', 'mover'],
  ['mr', 'mtr'],
  ['m', 'mtable'],
  ['eqArr', 'mtable'],
])
const ownLines = new Map<string, (children: string[], signs: Signs) => string>([
  [
    'rad',
    ([degree = '', base = '']) =>
      degree === '' ? mathLines.get('msqrt')!([base]) : mathLines.get('mroot')!([base, degree]),
  ],
  ['d', (children, { begChr = '(', sepChr = '|', endChr = ')' }) => begChr + children.join(sepChr) + endChr],
  [
    'nary',
    ([from = '', to = '', of = ''], { chr = '∫' }) =>
      `${chr}${scripted(from, 'sub')}${scripted(to, 'super')} ${of}`,
  ],
  ['sPre', ([below = '', above = '', base = '']) => scripted(below, 'sub') + scripted(above, 'super') + base],
  ['func', children => children.join(' ')],
])
const lineOf = (name: string, { children, signs }: Part): string =>
  ownLines.get(name)?.(children, signs) ??
  mathLines.get(asMathMl.get(name) ?? '')?.(children) ??
  children.join('')

/** Elements that are one argument of the element around them; all others are part of an argument. */
const operands = new Set(['e', 'num', 'den', 'sub', 'sup', 'deg', 'lim', 'fName'])
const signs = new Set(['chr', 'begChr', 'sepChr', 'endChr'])

/** A formula of Word or PowerPoint as one line of text. */
export class OfficeMath {
  /** The open elements that have arguments, and their arguments. */
  readonly #open: Part[] = [{ children: [], signs: {} }]

  open(name: string, { val = '' }: XmlAttributes): XmlEnd {
    if (signs.has(name)) this.#open.at(-1)!.signs[name] = val
    if (!operands.has(name) && !asMathMl.has(name) && !ownLines.has(name)) return undefined
    const part: Part = { children: [], signs: {} }
    this.#open.push(part)
    return () => {
      this.#open.pop()
      this.#open.at(-1)!.children.push(lineOf(name, part))
    }
  }

  text(text: string, parent: string): void {
    if (parent === 't') this.#open.at(-1)!.children.push(text)
  }

  get line(): string {
    return this.#open[0]!.children.join('').replace(/\s+/g, ' ').trim()
  }
}
