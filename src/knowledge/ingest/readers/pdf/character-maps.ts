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

const wrap = (name: string, body: string): string =>
  `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /${name} def\n/WMode ${
    name.endsWith('-V') ? 1 : 0
  } def\n${body}\nendcmap\nend\nend\n`

/** Maps two-byte codes, with one range per row of 256 codes, as the format requires. */
const twoByteMap = (name: string, kind: 'cid' | 'bf', target: (row: number) => string | number): string => {
  const rows = Array.from({ length: 256 }, (_, row) => `<${hex(row, 2)}00> <${hex(row, 2)}ff> ${target(row)}`)
  return wrap(
    name,
    `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n256 begin${kind}range\n${rows.join('\n')}\nend${kind}range`,
  )
}

const decodeOne = (decoder: InstanceType<typeof TextDecoder>, bytes: number[]): number | undefined => {
  const text = decoder.decode(Uint8Array.from(bytes))
  const code = text.charCodeAt(0)
  return text.length === 1 && code !== 0xfffd && code >= 0x20 ? code : undefined
}

/** Maps every code of one and two bytes with the platform's decoder. */
const legacyMap = (name: string, encoding: string): string => {
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
    `${space.length} begincodespacerange\n${space.join('\n')}\nendcodespacerange\n` +
      `${lines.length} begincidchar\n${lines.join('\n')}\nendcidchar`,
  )
}

/** The source of a map; `undefined` for one that cannot be generated. */
export const predefinedCMap = (name: string): string | undefined => {
  // Codes that are UTF-16 already; surrogate pairs stay two codes.
  if (/^Uni(GB|CNS|JIS|JISX0213|JIS2004|KS)-(UCS2|UTF16)-/.test(name))
    return twoByteMap(name, 'cid', row => row * 256)
  // The map from the glyph numbers used here to characters.
  if (/^Adobe-(GB1|CNS1|Japan1|Korea1|KR)-UCS2$/.test(name))
    return twoByteMap(name, 'bf', row => `<${hex(row, 2)}00>`)
  const encoding = legacyEncodings.find(([pattern]) => pattern.test(name))?.[1]
  return encoding === undefined ? undefined : legacyMap(name, encoding)
}
