import { type Script, scriptText } from '../text/raised-text.ts'
import type { XmlEnd, XmlHandler } from './xml-parser.ts'

export const scripted = (text: string, script: Script): string => {
  const raised = scriptText(text, script)
  if (raised !== text || text === '') return raised
  return `${script === 'super' ? '^' : '_'}${text.length > 1 ? `(${text})` : text}`
}

const grouped = (text: string): string =>
  /^(?:[\p{L}\p{N}.,]*|\([^()]*\))$/u.test(text) ? text : `(${text})`

/** How the children of an element are written in one line; the children of all others follow each other. */
export const mathLines = new Map<string, (children: string[]) => string>([
  ['msup', ([base = '', above = '']) => base + scripted(above, 'super')],
  ['msub', ([base = '', below = '']) => base + scripted(below, 'sub')],
  [
    'msubsup',
    ([base = '', below = '', above = '']) => base + scripted(below, 'sub') + scripted(above, 'super'),
  ],
  ['munder', ([base = '', below = '']) => base + scripted(below, 'sub')],
  ['mover', ([base = '', above = '']) => base + scripted(above, 'super')],
  [
    'munderover',
    ([base = '', below = '', above = '']) => base + scripted(below, 'sub') + scripted(above, 'super'),
  ],
  ['mfrac', ([above = '', below = '']) => `${grouped(above)}/${grouped(below)}`],
  ['msqrt', content => `√${grouped(content.join(''))}`],
  ['mroot', ([base = '', degree = '']) => `${scripted(degree, 'super').replace(/^\^/, '')}√${grouped(base)}`],
  ['mtr', cells => cells.join(' ')],
  ['mtable', rows => rows.join('; ')],
])

/** A formula in MathML as one line of text. */
export class MathText implements XmlHandler {
  /** The written children of each open element. */
  readonly #open: string[][] = [[]]

  open(name: string): XmlEnd {
    // An annotation repeats the formula in the language of the program that wrote it.
    if (name === 'annotation' || name === 'annotation-xml') return false
    const children: string[] = []
    this.#open.push(children)
    return () => {
      this.#open.pop()
      this.#open.at(-1)!.push(mathLines.get(name)?.(children) ?? children.join(''))
    }
  }

  text(text: string): void {
    const content = text.replace(/\s+/g, ' ')
    if (content.trim() !== '') this.#open.at(-1)!.push(content)
  }

  get line(): string {
    return this.#open[0]!.join('').trim()
  }
}
