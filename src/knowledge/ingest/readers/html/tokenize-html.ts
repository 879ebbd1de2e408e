import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

export type Attributes = ReadonlyMap<string, string>

export interface HtmlEvents {
  open(name: string, attributes: Attributes, selfClosing: boolean): void
  close(name: string): void
  text(data: string): void
}

const nothing = (): void => {}

/** In XHTML every element may be self-closing; parsed as HTML, `<title/>` or `<script/>` would swallow the rest. */
export const declaresXhtml = (html: string): boolean => {
  const head = html.slice(0, 1024)
  return /^\s*<\?xml/.test(head) || head.includes('http://www.w3.org/1999/xhtml')
}

/** Only the tokenizer of htmlparser2: the element stack of its parser takes quadratic time, which a page could exploit. */
export const tokenizeHtml = (html: string, isXhtml: boolean, events: HtmlEvents): void => {
  let name = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      name = html.slice(start, end).toLowerCase()
      attributes = new Map()
    },
    onattribname: (start, end) => {
      attribute = html.slice(start, end).toLowerCase()
      value = ''
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end)
    },
    onattribentity: codePoint => {
      value += String.fromCodePoint(codePoint)
    },
    onattribend: () => {
      if (!attributes.has(attribute)) attributes.set(attribute, value)
    },
    onopentagend: () => events.open(name, attributes, false),
    onselfclosingtag: () => events.open(name, attributes, isXhtml),
    onclosetag: (start, end) => events.close(html.slice(start, end).toLowerCase()),
    ontext: (start, end) => events.text(html.slice(start, end)),
    ontextentity: codePoint => events.text(String.fromCodePoint(codePoint)),
    oncdata: (start, end, offset) => (isXhtml ? events.text(html.slice(start, end - offset)) : undefined),
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  }
  const tokenizer = new Tokenizer({ recognizeSelfClosing: isXhtml }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
}
