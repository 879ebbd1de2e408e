const maxLength = 50
/** A shorter sentence is not used alone, because it says too little. */
const minLength = 12

/** The first sentence of a message, cut at a word; Chinese has no spaces and is cut anywhere. */
export function titleFrom(content: string): string {
  const text = content.replace(/\s+/g, ' ').trim()
  const [sentence = text] = /^.*?[.!?](?=\s)|^.*?[。！？]/u.exec(text) ?? []
  const characters = [...(sentence.length < minLength ? text : sentence)]
  if (characters.length <= maxLength) return characters.join('').replace(/[.。]$/, '')
  const cut = characters.slice(0, maxLength - 1).join('')
  const atWord = /^[A-Za-z\d]/.test(characters[maxLength - 1]!) ? cut.replace(/(?<=.{20})\s+\S*$/u, '') : cut
  return `${atWord.trimEnd()}…`
}
