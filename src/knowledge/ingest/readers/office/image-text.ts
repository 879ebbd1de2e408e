const generated = /\s*\bDescription automatically generated\b.*$/is
/** The name or path of the picture's file, which programs enter by themselves. */
const fileName = /^(?:\S*[\\/].*|[^\n]*\.(?:jpe?g|png|gif|bmp|emf|wmf|svg|tiff?|webp|pict?))$/i

/** The alternative text of an image as it is shown below its paragraph; empty if it has none. */
export const imageText = (...texts: (string | undefined)[]): string => {
  const written = texts
    .map(text => (text ?? '').replace(generated, '').trim())
    .filter(text => text !== '' && !fileName.test(text))
  return written.length === 0 ? '' : `Image: ${[...new Set(written)].join('\n')}`
}
