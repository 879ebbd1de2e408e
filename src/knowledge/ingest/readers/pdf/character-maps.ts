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

/**
 * Adobe numbered the glyphs of each language in the order of a national charset. In runs: the first code in that charset,
 * in hexadecimal, its glyph, and how many follow in order. Only punctuation and rare characters are left out.
 */
const glyphOrders: Record<string, [encoding: string, runs: string]> = {
  'Adobe-GB1-UCS2': [
    'gb18030',
    '20:1:95 21:814:94 a1a1:96:12 a1ae:109:81 a2a1:9897:10 a2b1:190:50 a2e5:240:10 a2f1:250:12 a3a1:262:177 ' +
      'a5a1:439:86 a6a1:525:24 a6c1:549:24 a6e0:580:12 a7a1:602:33 a7d1:635:33 a8a1:668:27 a8c5:700:38 ' +
      'a9a4:738:76 b0a1:940:3755 d8a1:4695:3008',
  ],
  'Adobe-Japan1-UCS2': [
    'euc-jp',
    '20:1:95 20:231:95 a1a1:633:16 a1b2:650:15 a1c2:666:27 a1de:694:47 a2ba:741:8 a2ca:749:7 a2dc:756:15 ' +
      'a2f2:771:8 a3b0:780:10 a3c1:790:26 a3e1:816:26 a4a1:842:83 a5a1:925:86 a6a1:1011:24 a6c1:1035:24 ' +
      'a7a1:1059:33 a7d1:1092:33 b0a1:1125:2965 d0a1:4090:3388',
  ],
  'Adobe-CNS1-UCS2': [
    'big5',
    '20:1:95 20:13648:95 a15d:128:115 a1f8:249:113 a2cf:365:138 a440:595:1412 ad40:2007:424 afd0:2432:1876 ' +
      'bbc8:4309:387 be53:4696:525 c1ab:5222:189 c2cc:5411:84 c361:5496:54 c3bb:5552:90 c457:5642:354 ' +
      'c94b:6006:33 c96c:6040:48 c9bf:6088:46 c9ed:6135:167 ' +
      'caf8:6302:1840 d6cd:8143:108 d77b:8251:537 dae0:8789:100 dba7:8890:399 ddfd:9289:1637 e8a3:10927:146 ' +
      'e976:11074:287 eb5b:11362:116 ebf2:11478:137 ecdf:11615:104 edaa:11720:222 eeec:11942:198 f057:12140:82 ' +
      'f0cc:12222:86 f16c:12317:153 f269:12470:56 f2c3:12527:113 f375:12641:142 f466:12784:45 f4b6:12829:71 ' +
      'f4fd:12901:194 f664:13095:490 f977:13586:43',
  ],
  'Adobe-Korea1-UCS2': [
    'euc-kr',
    '20:1:95 20:8094:95 a1ac:112:88 a2b1:211:53 a3a1:264:145 a4d5:409:52 a5c1:471:24 a5e1:495:24 a6a1:519:68 ' +
      'a7a1:587:79 a8b1:679:255 aba1:934:86 aca1:1020:33 acd1:1053:33 b0a1:1086:2350 caa1:3436:141 ' +
      'cbe8:3598:163 cdd0:3761:24 cde9:3785:34 ceae:3819:171 d0a3:3994:21 d0b9:4015:23 d0de:4050:84 ' +
      'd2f9:4186:169 d4e7:4355:21 d5af:4389:103 d6b9:4492:20 d6ce:4512:91 d7cc:4603:24 d7e5:4627:344 ' +
      'dbc6:4971:30 dbe5:5001:30 dca6:5031:93 dda6:5124:47 ddd6:5171:30 ddf5:5201:101 dfb4:5321:45 ' +
      'dfe9:5372:102 e0f2:5474:25 e1ae:5499:63 e1ee:5562:195 e4aa:5773:98 e5d7:5901:35 e7f8:6063:77 ' +
      'e9ad:6166:31 e9cd:6197:42 e9f8:6239:39 eac2:6278:35 ebd9:6373:43 eda4:6479:74 edef:6553:74 eedc:6627:345 ' +
      'f2be:6972:60 f2fb:7032:20 f3b2:7052:83 f4a8:7135:70 f4ef:7205:193 f6f7:7399:31 f7d4:7455:101 ' +
      'f8dc:7556:20 f8f1:7576:108 faa3:7684:67 fae7:7751:126 fcaa:7877:179',
  ],
}

/** More than any of these collections has. */
const glyphRows = 0x60

/** The next code of a charset whose second bytes are 40–7e, in Big5 only, and a1–fe. */
const nextCode = (code: number, encoding: string): number => {
  const second = (code + 1) & 0xff
  if (second === 0x7f) return code + 0x23
  return second === 0xff ? code + (encoding === 'big5' ? 0x42 : 0xa3) : code + 1
}

/** The source of a map from Adobe's glyph numbers to characters; those without one map to nothing that is shown. */
export const glyphMap = (name: string): string | undefined => {
  const [encoding, runs] = glyphOrders[name] ?? []
  if (encoding === undefined || runs === undefined) return undefined
  const decoder = new TextDecoder(encoding)
  const characters = new Array<number>(glyphRows * 256).fill(0x200b)
  for (const run of runs.split(' ')) {
    const [first = '', glyph, count] = run.split(':')
    let code = Number.parseInt(first, 16)
    for (let index = 0; index < Number(count); index++) {
      const character = decodeOne(decoder, code < 0x100 ? [code] : [code >> 8, code & 0xff])
      if (character !== undefined) characters[Number(glyph) + index] = character
      code = nextCode(code, encoding)
    }
  }
  const rows = Array.from({ length: glyphRows }, (_, row) => {
    const targets = characters.slice(row * 256, row * 256 + 256).map(character => `<${hex(character, 4)}>`)
    return `<${hex(row, 2)}00> <${hex(row, 2)}ff> [${targets.join(' ')}]`
  })
  return wrap(
    name,
    `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n${glyphRows} beginbfrange\n${rows.join('\n')}\nendbfrange`,
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
