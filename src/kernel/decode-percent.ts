/** Decodes %20 and the like; a text that is not encoded in this way stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
