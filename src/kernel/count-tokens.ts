/**
 * Calibrated against common tokenizers. WordPiece models, which have the tightest limit (512), use one token per CJK
 * character and the vocabularies of chat models 0.6 to 1.2, so one is close and on the safe side. English has about 1.3
 * tokens per word, which matches one token per six lowercase letters, rounded up. Capitals, accents and scripts that
 * are rare in the vocabularies have fewer letters per token, so each weighs as much as two or three lowercase letters.
 */
const weightPerToken = 6
const digitsPerToken = 3
/** Repeated punctuation ("-----", ".....") takes few tokens; a single mark takes one. */
const repeatsPerToken = 4

const space = 0
/** Classes 1 to 3 are letters; the class is the weight. */
const smallLetter = 1
const mediumLetter = 2
const largeLetter = 3
const digit = 4
const symbol = 5
const whole = 6

/** Later ranges win. Everything else is `whole`: CJK, surrogates, private use. */
const ranges: [from: number, to: number, kind: number][] = [
  [0x0000, 0x00bf, symbol],
  [0x0030, 0x0039, digit],
  [0x0041, 0x005a, mediumLetter],
  [0x0061, 0x007a, smallLetter],
  [0x00c0, 0x052f, mediumLetter],
  [0x0300, 0x036f, largeLetter],
  [0x0530, 0x10ff, largeLetter],
  [0x1200, 0x1dff, largeLetter],
  [0x1e00, 0x1fff, mediumLetter],
  [0x2000, 0x2bff, symbol],
  ...[0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].map(
    (code): [number, number, number] => [code, code, space],
  ),
  [0x0009, 0x000d, space],
  [0x2000, 0x200a, space],
]

const kinds = new Uint8Array(0x10000).fill(whole)
for (const [from, to, kind] of ranges) kinds.fill(kind, from, to + 1)

/** An estimate. Joined texts never have more tokens than their sum, so pieces measured separately also fit together. */
export const countTokens = (text: string): number => {
  const length = text.length
  let tokens = 0
  let index = 0
  while (index < length) {
    const code = text.charCodeAt(index++)
    const kind = kinds[code]!
    if (kind === whole) tokens++
    else if (kind === digit) {
      const start = index - 1
      while (index < length && kinds[text.charCodeAt(index)] === digit) index++
      tokens += ((index - start + digitsPerToken - 1) / digitsPerToken) | 0
    } else if (kind === symbol) {
      const start = index - 1
      while (index < length && text.charCodeAt(index) === code) index++
      tokens += ((index - start + repeatsPerToken - 1) / repeatsPerToken) | 0
    } else if (kind !== space) {
      let weight = kind
      for (; index < length; index++) {
        const next = kinds[text.charCodeAt(index)]!
        if (next === space || next > largeLetter) break
        weight += next
      }
      tokens += ((weight + weightPerToken - 1) / weightPerToken) | 0
    }
  }
  return tokens
}
