/** The characters of a symbol font from a code on. */
const from = (code: number, characters: string): [number, string][] =>
  [...characters].map((character, at) => [code + at, character])

/** Where a font has no character that text needs, there is a space. */
const symbolFont = new Map([
  ...from(
    0x20,
    ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼',
  ),
  ...from(0xa0, '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑'),
  ...from(0xf1, '〉∫'),
])
const wingdings = new Map([
  ...from(0x6c, '●❍■□'),
  ...from(0x70, '□❑❒⬧⧫◆❖⬥☒'),
  ...from(0x9e, '·•'),
  ...from(0xa7, '▪☐'),
  ...from(0xd8, '➢'),
  ...from(0xdf, '←→↑↓↖↗↙↘'),
  ...from(0xe7, '←➔'),
  ...from(0xef, '⇦⇨⇧⇩'),
  ...from(0xfb, '✗✓☒☑'),
])
const wingdings2 = new Map([...from(0x4f, '✗✓☒☑☒☒'), ...from(0x97, '●'), ...from(0xa3, '☐')])

const fonts = new Map([
  ['symbol', symbolFont],
  ['wingdings', wingdings],
  ['wingdings 2', wingdings2],
])

/** The text of a `sym` element; empty for a drawing without a meaning. Symbol fonts use codes from F000 on, or without the F. */
export const symbolText = (font = '', char = ''): string => {
  if (!/^[\da-f]{2,5}$/i.test(char)) return ''
  const code = Number.parseInt(char, 16)
  const known = fonts.get(font.trim().toLowerCase())
  if (known && (code < 0x100 || code >> 8 === 0xf0)) return known.get(code & 0xff) ?? ''
  const isPrivate = (code >= 0xe000 && code <= 0xf8ff) || (code >= 0xd800 && code <= 0xdfff)
  return isPrivate ? '' : String.fromCodePoint(code)
}
