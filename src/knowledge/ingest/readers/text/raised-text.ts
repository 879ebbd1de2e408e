const forms: Record<Script, string> = { super: '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾', sub: '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎' }
const plain = '0123456789+-=()'

/** Whether text stands above or below the line. */
export type Script = 'super' | 'sub'

/**
 * Numbers above or below the line as characters, because 10⁶ without them is 106. Search finds them by their plain
 * digits. Other text, such as "st" in "1st", stays as it is.
 */
export const scriptText = (text: string, script: Script | undefined): string => {
  if (script === undefined || !/^\s*[\d+\-−=()]+\s*$/.test(text)) return text
  return text.replace(/\S/g, character => forms[script][plain.indexOf(character === '−' ? '-' : character)]!)
}
