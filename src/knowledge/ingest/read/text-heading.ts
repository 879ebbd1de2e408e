const chineseNumber = '[零〇一二三四五六七八九十百千两\\d０-９]{1,8}'
const chineseDivision = new RegExp(`^第\\s?${chineseNumber}\\s?([编編卷部篇章回节節])(.*)$`)
const chineseLevels: Record<string, number> = {
  编: 1,
  編: 1,
  卷: 1,
  部: 1,
  篇: 1,
  章: 2,
  回: 2,
  节: 3,
  節: 3,
}
const chinesePart =
  /^(前\s?言|序\s?言|引\s?言|序|导\s?论|绪\s?论|結\s?語|结\s?语|后\s?记|後\s?記|附\s?录|附\s?錄|目\s?录|目\s?錄|摘\s?要)$/
const chineseList = /^[一二三四五六七八九十]{1,3}、\S.{0,30}$/
const englishDivision =
  /^(book|part|chapter|section|appendix)\s+(\d{1,4}|[ivxlc]{1,8}|[a-h]|one|two|three|four|five|six|seven|eight|nine|ten)(?=$|[\s.:—–-])(.*)$/i
const englishLevels: Record<string, number> = { book: 1, part: 1, chapter: 2, appendix: 2, section: 3 }
const numbered = /^(\d{1,2}(?:\.\d{1,3}){1,4})\.?\s+([A-Z\u4e00-\u9fff].{0,70})$/

/** A heading is no sentence. */
const endsLikeSentence = /[。！？；，、,;.!?]$/
const holdsSentence = /[。！？；，]/

const longest = 60

const chineseHeading = (line: string, alone: boolean): number | undefined => {
  const found = chineseDivision.exec(line)
  if (found) {
    const title = found[2]!
    const separated = title === '' || /^[\s:：、.．·—-]/.test(title)
    // "第一章总则" is a heading, "第一节课" and "第一章讲的是天气" are not told apart by form, so the title must be short.
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
    // "Part of", "Section 3 of the law says" begin sentences; a title begins with a capital or after a mark.
    const title = division[3]!.trimStart()
    return title === '' || /^[^a-z]/.test(title) ? englishLevels[division[1]!.toLowerCase()] : undefined
  }
  const found = numbered.exec(line)
  return found && !holdsSentence.test(line) ? Math.min(6, found[1]!.split('.').length) : undefined
}

/**
 * The level of a line of plain text that is a heading beyond doubt, else `undefined`: a false heading would stand above
 * every passage that follows. `alone` tells that no text stands on the lines before and after it.
 */
export const textHeadingLevel = (line: string, alone: boolean): number | undefined => {
  if (line.length > longest || endsLikeSentence.test(line)) return undefined
  return chineseHeading(line, alone) ?? englishHeading(line, alone)
}
