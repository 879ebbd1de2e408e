const digits = '零一二三四五六七八九'
const units = ['', '十', '百', '千']
const han = String.raw`\p{Script=Han}`
/** Years are left out: in Chinese numerals they would match 一年 and the like. */
const arabic = String.raw`(?<![\d.])(?:(?<=${han})[1-9]\d{0,2}|[1-9]\d{0,2}(?=${han}))(?![\d.])`
/** A single numeral counts only after 第, because 一 and 十 are parts of many words. */
const chinese = '[〇零一二三四五六七八九十百千]{2,}|(?<=第)[一二三四五六七八九十]'
const numerals = new RegExp(`${arabic}|${chinese}`, 'gu')

function inChinese(number: string): string {
  let text = ''
  for (const [at, digit] of [...number].entries()) {
    if (digit !== '0') text += digits[Number(digit)]! + units[number.length - 1 - at]!
    else if (!text.endsWith('零')) text += '零'
  }
  return text.replace(/零$/, '').replace(/^一十/, '十')
}

function inArabic(text: string): string {
  const plain = text.replaceAll('〇', '零')
  if (!/[十百千]/.test(plain)) return plain.replace(/./g, digit => String(digits.indexOf(digit)))
  let value = 0
  let digit = 0
  for (const each of plain) {
    const unit = units.indexOf(each)
    if (unit < 0) digit = digits.indexOf(each)
    else {
      value += (digit || 1) * 10 ** unit
      digit = 0
    }
  }
  return String(value + digit)
}

/** The number of an article or another part of a law, a contract or a book. */
export const partNumbers = /第 ?([〇零一二三四五六七八九十百千]+|\d+) ?(?=[条款章节项编篇号])/g

/** A text with these numbers in digits: 第38条 for 第三十八条. */
export const withPartsInDigits = (text: string): string =>
  text.replace(partNumbers, (_, number: string) => `第${/\d/.test(number) ? number : inArabic(number)}`)

/** A text with its Chinese numerals in digits, and numbers in Chinese: 第30条 for 第三十条. */
export const withOtherNumerals = (text: string): string =>
  text.replace(numerals, numeral => (/\d/.test(numeral) ? inChinese(numeral) : inArabic(numeral)))
