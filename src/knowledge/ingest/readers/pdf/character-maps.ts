/**
 * Fonts of Chinese, Japanese and Korean documents may refer to a predefined character map ("UniGB-UCS2-H") instead of
 * embedding one, or use the glyph numbers of one of Adobe's collections. The real maps are large tables from code to
 * glyph and from glyph to character; these are generated from the platform's decoders. There is one map from glyph to
 * character for each collection, so all maps of a collection have the same glyph numbers.
 */

/**
 * Adobe numbered the glyphs of each language in the order of a national charset. In runs: the first code in that charset,
 * in hexadecimal, its glyph, and how many follow in order. Only punctuation and rare characters are left out.
 */
const glyphOrders = {
  GB1: [
    'gb18030',
    '20:1:95 21:814:94 a1a1:96:12 a1ae:109:81 a2a1:9897:10 a2b1:190:50 a2e5:240:10 a2f1:250:12 a3a1:262:177 ' +
      'a5a1:439:86 a6a1:525:24 a6c1:549:24 a6e0:580:12 a7a1:602:33 a7d1:635:33 a8a1:668:27 a8c5:700:38 ' +
      'a9a4:738:76 b0a1:940:3755 d8a1:4695:3008',
  ],
  Japan1: [
    'euc-jp',
    '20:1:95 20:231:95 a1a1:633:16 a1b2:650:15 a1c2:666:27 a1de:694:47 a2ba:741:8 a2ca:749:7 a2dc:756:15 ' +
      'a2f2:771:8 a3b0:780:10 a3c1:790:26 a3e1:816:26 a4a1:842:83 a5a1:925:86 a6a1:1011:24 a6c1:1035:24 ' +
      'a7a1:1059:33 a7d1:1092:33 b0a1:1125:2965 d0a1:4090:3388',
  ],
  CNS1: [
    'big5',
    '20:1:95 20:13648:95 a15d:128:115 a1f8:249:113 a2cf:365:138 a440:595:1412 ad40:2007:424 afd0:2432:1876 ' +
      'bbc8:4309:387 be53:4696:525 c1ab:5222:189 c2cc:5411:84 c361:5496:54 c3bb:5552:90 c457:5642:354 ' +
      'c94b:6006:33 c96c:6040:48 c9bf:6088:46 c9ed:6135:167 ' +
      'caf8:6302:1840 d6cd:8143:108 d77b:8251:537 dae0:8789:100 dba7:8890:399 ddfd:9289:1637 e8a3:10927:146 ' +
      'e976:11074:287 eb5b:11362:116 ebf2:11478:137 ecdf:11615:104 edaa:11720:222 eeec:11942:198 f057:12140:82 ' +
      'f0cc:12222:86 f16c:12317:153 f269:12470:56 f2c3:12527:113 f375:12641:142 f466:12784:45 f4b6:12829:71 ' +
      'f4fd:12901:194 f664:13095:490 f977:13586:43',
  ],
  Korea1: [
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
} as const

type Collection = keyof typeof glyphOrders

/** Codes of fonts in the charset of a country. */
const legacyEncodings: [name: RegExp, collection: Collection, encoding: string][] = [
  [/^(GB|GBpc|GBK|GBKp)-EUC-|^GBK2K-/, 'GB1', 'gb18030'],
  [/^(B5pc|HKscs-B5|ETen-B5|ETenms-B5)-/, 'CNS1', 'big5'],
  [/^(83pv|90ms|90msp|90pv|Ext|Add)-RKSJ-|^(Ext|Add)?RKSJ-/, 'Japan1', 'shift_jis'],
  [/^EUC-(H|V)$/, 'Japan1', 'euc-jp'],
  [/^(KSC|KSCms|KSCpc)-(EUC|UHC)-/, 'Korea1', 'euc-kr'],
]

/** Codes of fonts that are UTF-16 already; surrogate pairs stay two codes. */
const unicodeMaps: [name: RegExp, collection: Collection][] = [
  [/^UniGB-(UCS2|UTF16)-/, 'GB1'],
  [/^UniCNS-(UCS2|UTF16)-/, 'CNS1'],
  [/^UniJIS(X0213|2004)?-(UCS2|UTF16)-/, 'Japan1'],
  [/^UniKS-(UCS2|UTF16)-/, 'Korea1'],
]

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const decodeOne = (decoder: InstanceType<typeof TextDecoder>, bytes: number[]): number | undefined => {
  const text = decoder.decode(Uint8Array.from(bytes))
  const code = text.charCodeAt(0)
  return text.length === 1 && code !== 0xfffd && code >= 0x20 ? code : undefined
}

/** The next code of a charset whose second bytes are 40–7e, in Big5 only, and a1–fe. */
const nextCode = (code: number, encoding: string): number => {
  const second = (code + 1) & 0xff
  if (second === 0x7f) return code + 0x23
  return second === 0xff ? code + (encoding === 'big5' ? 0x42 : 0xa3) : code + 1
}

/** Glyph numbers of a collection. Adobe assigned no numbers from here on. */
const firstFree = 0x7800
/** Not shown: the character of a number without one. */
const noCharacter = 0x200b
/** For a code without a character: of a code without a number, the library takes the code for the character. */
const unshown = firstFree - 1
const hangul = [0xac00, 0xd7a3] as const
const rareIdeographs = [0x3400, 0x4dbf] as const
/** Characters that get a free number if Adobe's is not known, as many as fit. */
const others = [
  [0x20, 0x4ff],
  [0x1e00, 0x33ff],
  [0xd800, 0xdfff],
  [0x4e00, 0x9fff],
  [0xf900, 0xffef],
] as const

interface Numbering {
  /** By glyph number. */
  characters: Uint16Array
  /** Glyph numbers by character; 0 for none. */
  numbers: Uint16Array
}

const numberings = new Map<Collection, Numbering>()

const numberingOf = (collection: Collection): Numbering => {
  const known = numberings.get(collection)
  if (known) return known
  const characters = new Uint16Array(1 << 16).fill(noCharacter)
  const numbers = new Uint16Array(1 << 16)
  const [encoding, runs] = glyphOrders[collection]
  const decoder = new TextDecoder(encoding)
  for (const run of runs.split(' ')) {
    const [first = '', glyph, count] = run.split(':')
    let code = Number.parseInt(first, 16)
    for (let number = Number(glyph); number < Number(glyph) + Number(count); number++) {
      const character = decodeOne(decoder, code < 0x100 ? [code] : [code >> 8, code & 0xff])
      if (character !== undefined) {
        characters[number] = character
        numbers[character] ||= number
      }
      code = nextCode(code, encoding)
    }
  }
  let free = firstFree
  const last = collection === 'Korea1' ? [hangul, rareIdeographs] : [rareIdeographs, hangul]
  for (const [from, to] of [...others, ...last])
    for (let character = from; character <= to && free < 1 << 16; character++)
      if (numbers[character] === 0) {
        characters[free] = character
        numbers[character] = free++
      }
  const made = { characters, numbers }
  numberings.set(collection, made)
  return made
}

const wrap = (name: string, body: string): string =>
  `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /${name} def\n/WMode ${
    name.endsWith('-V') ? 1 : 0
  } def\n${body}\nendcmap\nend\nend\n`

const twoBytes = ['<0000> <ffff>']

const section = (kind: string, lines: readonly string[]): string =>
  `${lines.length} begin${kind}\n${lines.join('\n')}\nend${kind}`

/** A map from the codes of a font, in ascending order, to glyph numbers. */
const codeMap = (
  name: string,
  space: readonly string[],
  codes: Iterable<[code: number, number: number]>,
): string => {
  const ranges: { first: number; last: number; number: number }[] = []
  for (const [code, number] of codes) {
    const range = ranges.at(-1)
    if (range && code === range.last + 1 && number === range.number + code - range.first) range.last = code
    else if (number !== 0) ranges.push({ first: code, last: code, number })
  }
  const lines = ranges.map(({ first, last, number }) => `<${hex(first, 4)}> <${hex(last, 4)}> ${number}`)
  return wrap(name, `${section('codespacerange', space)}\n${section('cidrange', lines)}`)
}

/** Maps every code of one and two bytes with the platform's decoder. */
const legacyMap = (name: string, encoding: string, { numbers }: Numbering): string => {
  const decoder = new TextDecoder(encoding)
  const codes: [number, number][] = []
  const leads: number[] = []
  for (let first = 0; first < 256; first++) {
    const single = decodeOne(decoder, [first])
    if (single !== undefined) codes.push([first, numbers[single] || unshown])
    else if (first > 0x80) leads.push(first)
  }
  for (const first of leads)
    for (let second = 0x21; second < 256; second++) {
      const character = decodeOne(decoder, [first, second])
      codes.push([first * 256 + second, numbers[character ?? 0] || unshown])
    }
  const space = [
    ...Array.from({ length: 256 }, (_, code) => code)
      .filter(code => !leads.includes(code))
      .map(code => `<${hex(code, 2)}> <${hex(code, 2)}>`),
    ...leads.map(lead => `<${hex(lead, 2)}21> <${hex(lead, 2)}ff>`),
  ]
  return codeMap(name, space, codes)
}

/** The map from glyph numbers to characters. */
const characterMap = (name: string, { characters }: Numbering): string => {
  const rows = Array.from({ length: 256 }, (_, row) => {
    const targets = Array.from(characters.subarray(row * 256, row * 256 + 256), each => `<${hex(each, 4)}>`)
    return `<${hex(row, 2)}00> <${hex(row, 2)}ff> [${targets.join(' ')}]`
  })
  return wrap(name, `${section('codespacerange', twoBytes)}\n${section('bfrange', rows)}`)
}

const isCollection = (name: string): name is Collection => Object.hasOwn(glyphOrders, name)

/** The source of a map; `undefined` for one that cannot be generated. */
export const characterMapOf = (name: string): string | undefined => {
  const ordering = /^Adobe-(\w+)-UCS2$/.exec(name)?.[1] ?? ''
  if (isCollection(ordering)) return characterMap(name, numberingOf(ordering))
  const unicode = unicodeMaps.find(([pattern]) => pattern.test(name))
  if (unicode) return codeMap(name, twoBytes, numberingOf(unicode[1]).numbers.entries())
  const [, collection, encoding] = legacyEncodings.find(([pattern]) => pattern.test(name)) ?? []
  return collection && encoding ? legacyMap(name, encoding, numberingOf(collection)) : undefined
}
