const maxLength = 1000

/** What a server said, for a message: bounded, on few lines, and without the secrets that were sent to it. */
export function serverWords(words: string, headers: Readonly<Record<string, string>>): string {
  let text = words.slice(0, maxLength * 2)
  for (const value of Object.values(headers))
    for (const secret of new Set([value, value.split(' ').at(-1) ?? '']))
      if (secret.length >= 6) text = text.replaceAll(secret, '***')
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text.trim()
}
