/** Marks inline code that is a formula. A private-use character, which no text has for another reason. */
export const formulaMark = '\uE000'

/** Code, in which dollars and backslashes are no formula. */
const code =
  /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n {0,3}\2[`~]*[ \t]*(?=\n|$)|$(?![\s\S])))|(`+)(?!`)[\s\S]*?[^`]\3(?!`)/gm

/**
 * $$…$$, \[…\], \(…\) and $…$. A single dollar opens a formula only before a non-space character, and closes one only
 * after a non-space character and not before a digit, so that "$5 to $10" stays two prices.
 */
const formula =
  /\$\$([\s\S]{1,4000}?)\$\$|\\\[([\s\S]{1,4000}?)\\\]|\\\(([^\n]{1,1000}?)\\\)|(?<![\\$\w])\$(?![\s$])([^$\n]{0,999}[^\s$\\])\$(?![\d$])/g

const inlineCode = (tex: string, isBlock: boolean): string => {
  const fence = '`'.repeat(Math.max(0, ...[...tex.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const text = `${formulaMark}${isBlock ? formulaMark : ''}${tex.replace(/\s+/g, ' ').trim()}`
  return `${fence}${text}${tex.endsWith('`') ? ' ' : ''}${fence}`
}

const withFormulas = (text: string): string =>
  text.replace(formula, (_, dollars?: string, brackets?: string, round?: string, dollar?: string) => {
    const block = dollars ?? brackets
    return inlineCode(block ?? round ?? dollar ?? '', block !== undefined)
  })

/** A Markdown text whose formulas are inline code with a mark, so that Markdown does not read them. */
export function markFormulas(text: string): string {
  if (!/[$\\]/.test(text)) return text
  let marked = ''
  let from = 0
  for (const { index, 0: found } of text.matchAll(code)) {
    marked += withFormulas(text.slice(from, index)) + found
    from = index + found.length
  }
  return marked + withFormulas(text.slice(from))
}

/** The formula in marked code; undefined if it is code. */
export function formulaIn(text: string): { tex: string; isBlock: boolean } | undefined {
  if (!text.startsWith(formulaMark)) return undefined
  return { tex: text.replaceAll(formulaMark, ''), isBlock: text.startsWith(formulaMark, 1) }
}
