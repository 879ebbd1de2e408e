/** How one level of a numbered list is shown. */
export interface LevelFormat {
  /** The name of the number format, as Word names it. */
  format: string
  /** With `%1` for the number of the first level, `%2` for that of the second, and so on. */
  template: string
  start: number
  /** All numbers of the template in digits: "1.2" below a chapter "I". */
  digitsOnly?: boolean
}

const maxLevels = 10

const romanValues = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]
const romanLetters = 'm cm d cd c xc l xl x ix v iv i'.split(' ')

const roman = (number: number): string => {
  let rest = number
  let text = ''
  for (const [at, value] of romanValues.entries())
    for (; rest >= value; rest -= value) text += romanLetters[at]
  return text
}

/** a to z, then aa, bb. */
const letters = (number: number): string =>
  String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26))

/** a to z, then aa, ab. */
const alphabetic = (number: number): string =>
  (number > 26 ? alphabetic(Math.trunc((number - 1) / 26)) : '') + letters(((number - 1) % 26) + 1)

const chineseDigits = [...'〇一二三四五六七八九']

/** Up to 99,999; 十一 instead of 一十一 at the start, as numbers of chapters are written. */
const chinese = (number: number): string => {
  const units = ['', '十', '百', '千', '万']
  let text = ''
  let zero = false
  for (let place = units.length - 1; place >= 0; place--) {
    const digit = Math.trunc(number / 10 ** place) % 10
    if (digit === 0) {
      zero = text !== ''
      continue
    }
    text += (zero ? '零' : '') + chineseDigits[digit]! + units[place]!
    zero = false
  }
  return text.replace(/^一十/, '十')
}

/** The characters of contracts and banks, which cannot be altered. */
const legal = (digits: string) => (number: number) =>
  chinese(number)
    .replace(/^十/, '一十')
    .replace(/[一二三四五六七八九十百千]/g, sign => digits['一二三四五六七八九十百千'.indexOf(sign)]!)

const ordinal = (number: number): string => {
  const ends: Record<string, string> = { one: 'st', two: 'nd', few: 'rd' }
  return `${number}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)] ?? 'th'}`
}

const inSet = (first: string, count: number) => (number: number) =>
  number <= count ? String.fromCodePoint(first.codePointAt(0)! + number - 1) : String(number)

const oneOf = (signs: string) => (number: number) => [...signs][(number - 1) % [...signs].length]!

const formats: Record<string, (number: number) => string> = {
  lowerRoman: roman,
  upperRoman: number => roman(number).toUpperCase(),
  lowerLetter: letters,
  upperLetter: number => letters(number).toUpperCase(),
  lowerAlphabetic: alphabetic,
  upperAlphabetic: number => alphabetic(number).toUpperCase(),
  ordinal,
  decimalZero: number => String(number).padStart(2, '0'),
  decimalEnclosedCircle: inSet('①', 20),
  decimalEnclosedCircleChinese: inSet('①', 20),
  decimalEnclosedParen: number => `(${number})`,
  decimalEnclosedFullstop: number => `${number}.`,
  decimalFullWidth: number => String(number).replace(/\d/g, digit => '０１２３４５６７８９'[Number(digit)]!),
  chineseCounting: chinese,
  chineseCountingThousand: chinese,
  taiwaneseCountingThousand: chinese,
  taiwaneseCounting: chinese,
  japaneseCounting: chinese,
  japaneseDigitalTenThousand: chinese,
  chineseLegalSimplified: legal('壹贰叁肆伍陆柒捌玖拾佰仟'),
  ideographLegalTraditional: legal('壹貳參肆伍陸柒捌玖拾佰仟'),
  ideographDigital: number => String(number).replace(/\d/g, digit => chineseDigits[Number(digit)]!),
  ideographTraditional: oneOf('甲乙丙丁戊己庚辛壬癸'),
  ideographZodiac: oneOf('子丑寅卯辰巳午未申酉戌亥'),
  ganada: oneOf('가나다라마바사아자차카타파하'),
  aiueoFullWidth: oneOf(
    'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  ),
  russianLower: oneOf('абвгдежзиклмнопрстуфхцчшщыэюя'),
  russianUpper: oneOf('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ'),
}

/** Larger numbers are not numbers of list items, and some formats grow with them. */
const maxFormatted = 5000

export const formatNumber = (number: number, format: string): string => {
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined
  return known && number > 0 && number <= maxFormatted ? known(number) : String(number)
}

/** Counts the items of one list, level by level. Levels count from 0. */
export class ListCounter {
  readonly #counts: number[] = []
  /** Numbers of the next items, where levels restart. */
  readonly #starts: number[] = []

  /** The label of the next item, such as "2.1". `undefined` formats are bullets; `none` is a label without a number. */
  next(level: number, formatOf: (level: number) => LevelFormat | undefined): string {
    const depth = Math.min(level, maxLevels - 1)
    const start = (each: number): number => {
      const number = this.#starts[each] ?? formatOf(each)?.start ?? 1
      delete this.#starts[each]
      return number
    }
    const own = formatOf(depth)
    // A skipped level counts from the first number below it.
    if (own?.format !== 'none')
      for (let above = 0; above < depth; above++) this.#counts[above] ??= start(above)
    const previous = this.#counts[depth]
    this.#counts[depth] = previous === undefined ? start(depth) : previous + 1
    // Deeper levels restart under the next item.
    this.#counts.length = depth + 1
    if (!own) return ''
    // A level without numbers has no point before the next number either.
    return own.template.replace(/%(10|\d)(\.(?=%))?/g, (_, digit: string, point = '') => {
      const index = Number(digit) - 1
      const count = this.#counts[index]
      const format = formatOf(index)?.format ?? 'decimal'
      if (count === undefined || format === 'none') return ''
      return formatNumber(count, own.digitsOnly && index < depth ? 'decimal' : format) + point
    })
  }

  /** The next item of the level gets this number. */
  restart(level: number, number: number): void {
    const depth = Math.min(level, maxLevels - 1)
    this.#counts.length = Math.min(this.#counts.length, depth)
    this.#starts[depth] = number
  }
}
