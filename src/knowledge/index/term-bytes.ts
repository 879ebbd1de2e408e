/** In this form the order of the bytes is the order of JavaScript's strings, and Chinese takes two bytes a character. */
export const termBytes = (term: string): Buffer => Buffer.from(term, 'utf16le').swap16()

export const termText = (bytes: Uint8Array): string => Buffer.from(bytes).swap16().toString('utf16le')
