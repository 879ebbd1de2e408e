/** The unified ideographs of U+2E80 to U+2EF3, by the Unicode property Equivalent_Unified_Ideograph; - for none. */
const supplement = [
  ...'-厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵-旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟',
]
const first = 0x2e80
const radical = /[\u2e80-\u2fd5]/g

const unified = (character: string): string => {
  const found = supplement[character.charCodeAt(0) - first] ?? character.normalize('NFKC')
  return found === '-' ? character : found
}

/** Radicals as the characters they stand for: PDFs contain ⻋ for 车, because both share a glyph. */
export const withoutRadicals = (text: string): string => text.replace(radical, unified)
