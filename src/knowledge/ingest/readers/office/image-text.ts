/** What Office adds to texts that it wrote itself, in English and Chinese. */
const generated =
  /\s*(?:\bDescription automatically generated\b|\bAI-generated content may be incorrect\b|(?:[中低]度?可信度)?描述已自动生成|AI ?生成的内容可能不正确|自動產生的描述|AI ?產生的內容可能不正確).*$/is
/** The name or path of the picture's file, which programs enter by themselves. */
const fileName = /^(?:\S*[\\/].*|[^\n]*\.(?:jpe?g|png|gif|bmp|emf|wmf|svg|tiff?|webp|pict?))$/i

/** The alternative text of an image as it is shown below its paragraph; empty if it has none. */
export const imageText = (...texts: (string | undefined)[]): string => {
  const written = texts
    .map(text => (text ?? '').replace(generated, '').trim())
    .filter(text => text !== '' && !fileName.test(text))
  return written.length === 0 ? '' : `Image: ${[...new Set(written)].join('\n')}`
}
