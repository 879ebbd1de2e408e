import type { Block } from '../../block.ts'
import { groupsWithin } from '../../groups-within.ts'
import { isUnspaced, joinLines, linesOf, widthOf } from './lines.ts'

const chineseNumber = '[零〇一二三四五六七八九十百千两\\d０-９]{1,8}'
const chineseDivision = new RegExp(`^第\\s?${chineseNumber}\\s?([编編卷部篇章回节節])(.*)$`)
const chineseLevels: Record<string, number> = {
  ...{ 编: 1, 編: 1, 卷: 1, 部: 1, 篇: 1 },
  ...{ 章: 2, 回: 2, 节: 3, 節: 3 },
}
const chinesePart =
  /^(前\s?言|序\s?言|引\s?言|序|导\s?论|绪\s?论|結\s?語|结\s?语|后\s?记|後\s?記|附\s?录|附\s?錄|目\s?录|目\s?錄|摘\s?要)$/
const chineseList = /^[一二三四五六七八九十]{1,3}、\S.{0,30}$/
const englishDivision =
  /^(book|part|chapter|section|appendix)\s+(\d{1,4}|[ivxlc]{1,8}|[a-h]|one|two|three|four|five|six|seven|eight|nine|ten)(?=$|[\s.:—–-])(.*)$/i
const englishLevels: Record<string, number> = { book: 1, part: 1, chapter: 2, appendix: 2, section: 3 }
const numbered = /^(\d{1,2}(?:\.\d{1,3}){1,4})\.?\s+([A-Z\u4e00-\u9fff].{0,70})$/

/** A heading is not a sentence. */
const endsLikeSentence = /[。！？；，、,;.!?]$/
const holdsSentence = /[。！？；，]/

const maxHeadingLength = 60

const chineseHeading = (line: string, alone: boolean): number | undefined => {
  const found = chineseDivision.exec(line)
  if (found) {
    const title = found[2]!
    const separated = title === '' || /^[\s:：、.．·—-]/.test(title)
    // "第一章总则" is a heading, "第一节课" and "第一章讲的是天气" are not; only the length of the title tells them apart.
    if (!separated && (title.length > 12 || found[1] === '节' || found[1] === '部' || !alone))
      return undefined
    return holdsSentence.test(title) ? undefined : chineseLevels[found[1]!]
  }
  if (chinesePart.test(line)) return 2
  return alone && chineseList.test(line) && !holdsSentence.test(line) ? 3 : undefined
}

const englishHeading = (line: string, alone: boolean): number | undefined => {
  if (!alone) return undefined
  const division = englishDivision.exec(line)
  if (division) {
    // "Section 3 of the law says" begins a sentence; a title starts with a capital or after punctuation.
    const title = division[3]!.trimStart()
    return title === '' || /^[^a-z]/.test(title) ? englishLevels[division[1]!.toLowerCase()] : undefined
  }
  const found = numbered.exec(line)
  return found && !holdsSentence.test(line) ? Math.min(6, found[1]!.split('.').length) : undefined
}

/** Undefined unless certain, because a wrong heading would label every chunk after it. `alone`: between blank lines. */
const textHeadingLevel = (line: string, alone: boolean): number | undefined => {
  if (line.length > maxHeadingLength || endsLikeSentence.test(line)) return undefined
  return chineseHeading(line, alone) ?? englishHeading(line, alone)
}

/** Lines sampled to find the wrap width. */
const sampledLines = 2000
const minWrapWidth = 40
const maxWrapWidth = 130
const item = /^\s*(?:[-*•·▪◦●○■□]|\(?\d{1,3}[.)、）]|[a-zA-Z][.)])\s+\S/
const underline = /^(?:={3,}|-{3,}|~{3,}|\*{3,})$/
/** Shorter groups of lines belong together, such as an address; longer ones are records. */
const maxLinesTogether = 30
const maxWidthTogether = 70

/** The width that lines fill but hardly any exceeds, or 0 if the text is not wrapped. */
const wrapWidth = (text: string): number => {
  const widths: number[] = []
  let count = 0
  for (const line of linesOf(text)) {
    if (++count > sampledLines) break
    if (line.trim() !== '') widths.push(widthOf(line.trimEnd()))
  }
  widths.sort((left, right) => left - right)
  const width = widths[Math.floor(widths.length * 0.98)] ?? 0
  return width >= minWrapWidth && width <= maxWrapWidth ? width : 0
}

/** A line is wrapped if the first word of the next one would not have fitted on it. */
const isWrapped = (line: string, next: string, width: number): boolean => {
  const first = next.trimStart()
  const space = isUnspaced(first[0]) ? -1 : first.indexOf(' ')
  const word = isUnspaced(first[0]) ? 4 : 1 + widthOf(space < 0 ? first : first.slice(0, space))
  return widthOf(line) + word >= width
}

/** Columns aligned with spaces, and records that start with a number or date, fill their lines without being wrapped. */
const isTabular = (lines: string[]): boolean =>
  lines.filter(line => /\S(?: {3,}|\t|.*\|)\s*\S|^\s*\[?\d/.test(line.slice(0, maxWrapWidth))).length * 2 >
  lines.length

const isHardWrapped = (lines: string[], width: number): boolean => {
  if (width === 0 || lines.length < 2 || isTabular(lines)) return false
  let wrapped = 0
  for (let index = 0; index + 1 < lines.length; index++)
    if (isWrapped(lines[index]!, lines[index + 1]!, width)) wrapped++
  return wrapped >= (lines.length - 1) * 0.9
}

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

/** Lines between two headings or items, without a blank line. */
function* textBlocks(lines: string[], width: number): Generator<Block> {
  if (lines.length === 0) return
  if (isHardWrapped(lines, width)) {
    yield paragraph(joinLines(lines.map(line => line.trim())))
    return
  }
  const indented = lines.every(line => /^(?:　|\s{2,})/.test(line))
  const short = lines.length <= maxLinesTogether && lines.every(line => widthOf(line) <= maxWidthTogether)
  if (short && !(indented && lines.length > 1)) yield paragraph(lines.map(line => line.trim()).join('\n'))
  else for (const line of lines) yield paragraph(line.trim())
}

function* groupBlocks(group: string[], width: number): Generator<Block> {
  const wrapped = isHardWrapped(group, width) && !group.some(line => item.test(line))
  let lines: string[] = []
  for (const [index, line] of group.entries()) {
    const trimmed = line.trim()
    const alone = group.length === 1
    const level =
      index > 0 && (wrapped || lines.length > 0 || item.test(group[index - 1]!)) && !/^第/.test(trimmed)
        ? undefined
        : textHeadingLevel(trimmed, alone)
    const underlined = index === 0 && underline.test(group[1]?.trim() ?? '') && widthOf(trimmed) <= 100
    if (level !== undefined || underlined) {
      yield* textBlocks(lines, width)
      lines = []
      yield { kind: 'heading', level: level ?? (group[1]!.trim().startsWith('=') ? 1 : 2), text: trimmed }
    } else if (underline.test(trimmed)) {
      // A rule, or the underline of the heading above.
    } else if (item.test(line) && !wrapped) {
      yield* textBlocks(lines, width)
      lines = [line]
    } else lines.push(line)
  }
  yield* textBlocks(lines, width)
}

/** The maximum number of lines without a blank line that are processed together. */
const maxGroupLines = 1000

/** Plain text: blank lines separate paragraphs, and hard-wrapped lines are joined. */
export function* readText(text: string): Generator<Block> {
  const width = wrapWidth(text)
  let group: string[] = []
  for (const line of linesOf(text)) {
    const blank = line.trim() === ''
    if (!blank) group.push(line)
    if (group.length === 0 || (!blank && group.length < maxGroupLines)) continue
    yield* groupBlocks(group, width)
    group = []
  }
  yield* groupBlocks(group, width)
}

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
