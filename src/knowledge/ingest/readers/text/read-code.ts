import type { Block } from '../../block.ts'
import { linesOf } from './lines.ts'

/** Shorter files stay whole; short constructs are joined up to this length. */
const charactersTogether = 1600

/** Unindented lines that end or continue the previous construct. */
const continues = /^(?:[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|catch\b|case\b|#endif|#else|---$)/

const beginsConstruct = (line: string): boolean => /^\S/.test(line) && !continues.test(line)

/** Splits at blank lines before an unindented line: functions, classes, groups of settings. */
function* constructsOf(text: string): Generator<string> {
  let lines: string[] = []
  let afterBlank = false
  for (const line of linesOf(text)) {
    const blank = line.trim() === ''
    if (afterBlank && !blank && lines.length > 0 && beginsConstruct(line)) {
      yield lines.join('\n')
      lines = []
    }
    // Leading blank lines are dropped.
    if (!blank || lines.length > 0) lines.push(line)
    afterBlank = blank
  }
  if (lines.length > 0) yield lines.join('\n')
}

/** Source code, split only between top-level constructs. */
export function* readCode(text: string): Generator<Block> {
  let held = ''
  for (const construct of constructsOf(text)) {
    if (held !== '' && held.length + construct.length > charactersTogether) {
      yield { kind: 'code', text: held.trimEnd() }
      held = ''
    }
    held = held === '' ? construct : `${held}\n${construct}`
  }
  if (held.trim() !== '') yield { kind: 'code', text: held.trimEnd() }
}
