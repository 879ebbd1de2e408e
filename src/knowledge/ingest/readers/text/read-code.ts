import type { Block } from '../../block.ts'
import { linesOf } from './lines.ts'

/** Files up to this length stay whole; short constructs are put together up to it. */
const charactersTogether = 1600

/** What ends or goes on with the construct before it, though it stands at the edge. */
const continues = /^(?:[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|catch\b|case\b|#endif|#else|---$)/

const beginsConstruct = (line: string): boolean => /^\S/.test(line) && !continues.test(line)

/** Pieces between blank lines that have a line at the left edge after them: functions, classes, groups of settings. */
function* constructsOf(text: string): Generator<string> {
  let lines: string[] = []
  let afterBlank = false
  for (const line of linesOf(text)) {
    const blank = line.trim() === ''
    if (afterBlank && !blank && lines.length > 0 && beginsConstruct(line)) {
      yield lines.join('\n')
      lines = []
    }
    // Blank lines at the start of a piece say nothing.
    if (!blank || lines.length > 0) lines.push(line)
    afterBlank = blank
  }
  if (lines.length > 0) yield lines.join('\n')
}

/** Source code, cut where a reader would turn the page and nowhere else. */
export function* readCode(text: string, language?: string): Generator<Block> {
  let held = ''
  const block = (code: string): Block => ({
    kind: 'code',
    text: code.trimEnd(),
    ...(language && { language }),
  })
  for (const construct of constructsOf(text)) {
    if (held !== '' && held.length + construct.length > charactersTogether) {
      yield block(held)
      held = ''
    }
    held = held === '' ? construct : `${held}\n${construct}`
  }
  if (held.trim() !== '') yield block(held)
}
