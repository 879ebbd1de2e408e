/** What each Western language adds to the ASCII letters. */
const alphabets = [
  'äöüß',
  'àâæçéèêëîïôœùûüÿ',
  'áéíóúüñªº',
  'áâãàçéêíóôõúüªº',
  'àèéìíîòóùú',
  'åäöæøéü',
  'áðéíóúýþæö',
  'éèëïöüáíóúê',
  'àçéèíïòóúü',
].map(letters => new Set(letters))

/** Marks that may stand between two letters. */
const inWord = new Set('’‘·-')

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[a-zà-öø-ÿœšž]/i.test(character)

/**
 * Any bytes decode as windows-1252, so decoding proves nothing. Text of its sister encodings, Polish, Czech or Turkish,
 * shows by letters that no single language has together, and by signs in the middle of words.
 */
export const fitsWesternAlphabet = (text: string): boolean => {
  const letters = new Map<string, number>()
  let beyondAscii = 0
  let strays = 0
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 0x80) continue
    const character = text[index]!
    beyondAscii++
    if (isLetter(character)) {
      const small = character.toLowerCase()
      letters.set(small, (letters.get(small) ?? 0) + 1)
    } else if (!inWord.has(character) && isLetter(text[index - 1])) {
      if (/[a-z]/i.test(text[index + 1] ?? '')) strays++
    }
  }
  if (strays * 50 > beyondAscii) return false
  const total = [...letters.values()].reduce((sum, count) => sum + count, 0)
  return alphabets.some(alphabet => {
    const foreign = [...letters].reduce((sum, [letter, count]) => sum + (alphabet.has(letter) ? 0 : count), 0)
    return foreign * 50 <= total
  })
}
