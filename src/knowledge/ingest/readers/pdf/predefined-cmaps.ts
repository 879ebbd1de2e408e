/**
 * Fonts of Chinese, Japanese and Korean documents may refer to a predefined character map ("UniGB-UCS2-H") instead of
 * embedding one. The real maps are large tables from code to glyph and from glyph to character. Only the character is
 * needed here, so the code point of the character serves as the glyph number in between.
 */
const legacyEncodings: [RegExp, string][] = [
  [/^(GB|GBpc|GBK|GBKp)-EUC-|^GBK2K-/, 'gb18030'],
  [/^(B5pc|HKscs-B5|ETen-B5|ETenms-B5)-/, 'big5'],
  [/^(83pv|90ms|90msp|90pv|Ext|Add)-RKSJ-|^(Ext|Add)?RKSJ-/, 'shift_jis'],
  [/^EUC-(H|V)$/, 'euc-jp'],
  [/^(KSC|KSCms|KSCpc)-(EUC|UHC)-/, 'euc-kr'],
]

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const wrap = (name: string, vertical: boolean, body: string): string =>
  `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /${name} def\n/WMode ${
    vertical ? 1 : 0
  } def\n${body}\nendcmap\nend\nend\n`

const twoByteSpace = '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n'

/** One range per row of 256 codes, as the format requires. */
const rows = (each: (row: number) => string): string =>
  Array.from({ length: 256 }, (_, row) => each(row)).join('\n')

/** Codes that are UTF-16 already; surrogate pairs stay two codes. */
const unicodeMap = (name: string, vertical: boolean): string =>
  wrap(
    name,
    vertical,
    `${twoByteSpace}256 begincidrange\n${rows(row => `<${hex(row, 2)}00> <${hex(row, 2)}ff> ${row * 256}`)}\nendcidrange`,
  )

/** Maps the glyph numbers used here to characters. */
const characterMap = (name: string): string =>
  wrap(
    name,
    false,
    `${twoByteSpace}256 beginbfrange\n${rows(row => `<${hex(row, 2)}00> <${hex(row, 2)}ff> <${hex(row, 2)}00>`)}\nendbfrange`,
  )

const decodeOne = (decoder: InstanceType<typeof TextDecoder>, bytes: number[]): number | undefined => {
  const text = decoder.decode(Uint8Array.from(bytes))
  const point = text.codePointAt(0)
  const whole = point !== undefined && text.length === 1 && point !== 0xfffd
  return whole && point >= 0x20 ? point : undefined
}

/** Maps every code of one and two bytes with the platform's decoder. */
const legacyMap = (name: string, vertical: boolean, encoding: string): string => {
  const decoder = new TextDecoder(encoding)
  const lines: string[] = []
  const leads: number[] = []
  for (let first = 0; first < 256; first++) {
    const single = decodeOne(decoder, [first])
    if (single !== undefined) lines.push(`<${hex(first, 2)}> ${single}`)
    else if (first > 0x80) leads.push(first)
  }
  for (const first of leads)
    for (let second = 0x21; second < 256; second++) {
      const character = decodeOne(decoder, [first, second])
      if (character !== undefined) lines.push(`<${hex(first * 256 + second, 4)}> ${character}`)
    }
  const space = [
    ...Array.from({ length: 256 }, (_, code) => code)
      .filter(code => !leads.includes(code))
      .map(code => `<${hex(code, 2)}> <${hex(code, 2)}>`),
    ...leads.map(lead => `<${hex(lead, 2)}21> <${hex(lead, 2)}ff>`),
  ]
  return wrap(
    name,
    vertical,
    `${space.length} begincodespacerange\n${space.join('\n')}\nendcodespacerange\n` +
      `${lines.length} begincidchar\n${lines.join('\n')}\nendcidchar`,
  )
}

/** The source of a map; `undefined` for one that cannot be generated. */
export const predefinedCMap = (name: string): string | undefined => {
  const vertical = name.endsWith('-V')
  if (/^Uni(GB|CNS|JIS|JISX0213|JIS2004|KS)-(UCS2|UTF16)-/.test(name)) return unicodeMap(name, vertical)
  if (/^Adobe-(GB1|CNS1|Japan1|Korea1|KR)-UCS2$/.test(name)) return characterMap(name)
  const encoding = legacyEncodings.find(([pattern]) => pattern.test(name))?.[1]
  return encoding === undefined ? undefined : legacyMap(name, vertical, encoding)
}
