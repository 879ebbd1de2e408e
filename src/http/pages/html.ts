/** Text that is HTML already. Whatever else is put into a page is escaped on its way in. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, sign => entities[sign]!)

function textOf(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return part ? part.map(textOf).join('') : ''
}

/** Tag of a template: the template itself is HTML, the values in it are text unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0]!
  for (const [at, part] of parts.entries()) text += textOf(part) + strings[at + 1]!
  return new Html(text)
}

/** A sentence of the contract, where what stands between backticks is code. */
export const prose = (text: string): Html =>
  new Html(escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>'))
