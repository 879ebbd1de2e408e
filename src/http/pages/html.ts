import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Trusted HTML. Every other value in a template is escaped. */
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

/** Text between tags, where double quotes need no escape: examples in JSON are full of them. */
export const plainText = (text: string): Html => new Html(text.replace(/[&<>']/g, sign => entities[sign]!))

function textOf(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return part ? part.map(textOf).join('') : ''
}

/** Template tag: values are escaped unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let text = strings[0]!
  for (const [at, part] of parts.entries()) text += textOf(part) + strings[at + 1]!
  return new Html(text)
}

/** A description of the contract, with `code` in backticks. */
export const prose = (text: string): Html =>
  new Html(escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>'))

/** The logo, coloured by the style sheet of the page. */
export const banyanMark = html`<svg class="mark" viewBox="0 0 64 64" aria-hidden="true"><path class="leaf" d="M12 33a9 9 0 0 1-2-17 10 10 0 0 1 14-8 12 12 0 0 1 18 1 10 10 0 0 1 13 8 8.5 8.5 0 0 1-3 16z"/><path class="bark" d="M32 58V30M32 44c0-7-3-9-8-12M32 44c0-7 3-9 8-12M19 58V32M45 58V32" stroke-width="4"/><path class="bark" d="M12.5 49V32M25.5 52V34M38.5 50V34M51.5 47V32" stroke-width="1.8"/><path class="bark" d="M8 58h48" stroke-width="2.5"/></svg>`

/** The favicon, with its own colours. */
const banyanIcon = `data:image/svg+xml,${encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 64 64'><path fill='#3c8562' d='M12 35a9 9 0 0 1-2-17 10 10 0 0 1 14-8 12 12 0 0 1 18 1 10 10 0 0 1 13 8 8.5 8.5 0 0 1-3 16z'/><path stroke='#8a6a4a' stroke-linecap='round' stroke-width='5' d='M32 58V30M19 58V34M45 58V34'/></svg>",
)}`

export const styleSheet = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

/** A self-contained page: the Content-Security-Policy lets it load nothing else. */
export const pageFrame = (page: { title: string; description: string; style: string; body: Html }): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${page.title}</title>
<link rel="icon" href="${banyanIcon}">
<style>${new Html(styleSheet('base.css') + page.style)}</style>
</head>
<body>
${page.body}
</body>
</html>
`.text
