import { withoutRadicals } from '../../../text/radicals.ts'

const ligatures = /[\ufb00-\ufb06]/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g

/** TeX's fonts without a character map have these ligatures at control characters. Alone they are other symbols. */
const texLigatures = ['ff', 'fi', 'fl', 'ffi', 'ffl']
const texLigature = /[\u000e\u001b-\u001f](?:(?<=\p{Ll}{2}.)|(?=\p{Ll}{2}))/gsu

export const cleanText = (text: string): string =>
  withoutRadicals(
    text
      .replace(ligatures, form => form.normalize('NFKC'))
      .replace(texLigature, code => (code === '\u000e' ? 'ffi' : texLigatures[code.charCodeAt(0) - 0x1b]!))
      .replace(invisible, ''),
  )

const cjk = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u
const endsInCjk = (text: string): boolean => cjk.test([...text.slice(-2)].at(-1) ?? '')
const startsInCjk = (text: string): boolean => cjk.test(String.fromCodePoint(text.codePointAt(0) ?? 32))

/** Chinese is written without spaces, so a small gap between its characters is not a space. */
export const joinsWithoutSpace = (before: string, after: string): boolean =>
  endsInCjk(before) && startsInCjk(after)

const cjkLetter = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー]'
const spacedLetters = new RegExp(`${cjkLetter} ${cjkLetter} ${cjkLetter}`, 'u')
const neighbours = new RegExp(`${cjkLetter}(?=( ?)${cjkLetter})`, 'gu')

/** The library reads the gaps of letter-spaced Chinese as spaces. Between words, not all characters have one. */
export const withoutLetterSpacing = (text: string): string => {
  if (!spacedLetters.test(text)) return text
  let spaced = 0
  let joined = 0
  for (const [, space] of text.matchAll(neighbours))
    if (space === '') joined++
    else spaced++
  if (joined * 10 > spaced) return text
  return text.replace(/(\S) (?=(\S))/gu, (both, one: string, other: string) =>
    joinsWithoutSpace(one, other) ? one : both,
  )
}
