import traditionalToSimplified from 'opencc-js/dict/TSCharacters'

let table: Uint16Array | undefined

/** One character each; the few pairs outside the basic plane are too rare to pay for. */
function simplifiedTable(): Uint16Array {
  const codes = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  for (const pair of traditionalToSimplified.split('|')) {
    const [from = '', to = ''] = pair.split(' ')
    if (from.length === 1 && to.length === 1) codes[from.charCodeAt(0)] = to.charCodeAt(0)
  }
  return codes
}

/** Traditional characters as simplified ones, so that either finds the other. The length stays the same. */
export function simplify(text: string): string {
  table ??= simplifiedTable()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x3400 || table[code] === code) continue
    const codes = new Array<number>(text.length - at)
    for (let rest = at; rest < text.length; rest++) codes[rest - at] = table[text.charCodeAt(rest)]!
    let folded = text.slice(0, at)
    // In pieces: a call takes only so many arguments.
    for (let start = 0; start < codes.length; start += 4096)
      folded += String.fromCharCode(...codes.slice(start, start + 4096))
    return folded
  }
  return text
}
