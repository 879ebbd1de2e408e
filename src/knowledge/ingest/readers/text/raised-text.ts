const forms: Record<Script, string> = { super: '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾', sub: '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎' }
const plain = '0123456789+-=()'

/** Whether text stands above or below the line. */
export type Script = 'super' | 'sub'

/** Numbers above or below the line as characters: 10⁶ would be 106. Search finds their plain digits. */
export const scriptText = (text: string, script: Script | undefined): string => {
  if (script === undefined || !/^\s*[\d+\-−=()]+\s*$/.test(text)) return text
  return text.replace(/\S/g, character => forms[script][plain.indexOf(character === '−' ? '-' : character)]!)
}
