import type { Block } from '../../block.ts'
import { groupsWithin } from '../../groups-within.ts'
import { linesOf } from './lines.ts'

/** Shorter files stay whole; short constructs are joined up to this length, with the line break after each. */
const charactersTogether = 1602

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
  for (const group of groupsWithin(constructsOf(text), ({ length }) => length + 1, charactersTogether))
    yield { kind: 'code', text: group.join('\n').trimEnd() }
}
