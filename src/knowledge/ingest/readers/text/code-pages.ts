const encodings: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  54936: 'gb18030',
  65001: 'utf-8',
  10000: 'macintosh',
}

/** The encoding of a code page; Western if it is unknown. */
export const encodingOfCodePage = (codePage: number): string =>
  encodings[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : 'windows-1252')

/** The code pages of languages, by the lower ten bits of Windows locale ids. */
const codePages = new Map(
  Object.entries({
    ...{ 874: [0x1e], 932: [0x11], 936: [0x04], 949: [0x12] },
    ...{ 1250: [0x05, 0x0e, 0x15, 0x18, 0x1a, 0x1b, 0x1c, 0x24], 1251: [0x02, 0x19, 0x22, 0x23, 0x2f] },
    ...{ 1253: [0x08], 1254: [0x1f], 1255: [0x0d], 1256: [0x01, 0x20, 0x29], 1257: [0x25, 0x26, 0x27] },
    1258: [0x2a],
  }).flatMap(([codePage, languages]) => languages.map(language => [language, Number(codePage)] as const)),
)
/** Taiwan, Hong Kong and Macau. */
const traditionalChinese = new Set([0x0404, 0x0c04, 0x1404])

/** The code page in which programs without Unicode write texts of a Windows locale. */
export const codePageOfLocale = (locale: number): number =>
  traditionalChinese.has(locale) ? 950 : (codePages.get(locale & 0x3ff) ?? 1252)
