/** By local name (`val` of `w:val`), and by the whole name where there is a prefix. */
export type XmlAttributes = Record<string, string | undefined>

export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  text?(text: string): void
  /** Elements that are left out with all they contain. */
  skips?(name: string, attributes: XmlAttributes): boolean
}
