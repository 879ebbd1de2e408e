import type { LanguageModel } from '../../../models/language-model.ts'
import type { TextRecogniser } from './medium.ts'

/** Another prompt may produce another text, so its version is part of the keys of cached texts. */
const promptVersion = 1
const prompt = `Transcribe all text of this page image as Markdown.
Keep the reading order, the language and the wording of the page. Write headings with #, lists as lists, and tables as Markdown tables.
Describe nothing, translate nothing, and add nothing of your own: the answer is only the text of the page. If the page has no text, answer with nothing but <no-text/>.`

/** A page full of small print has about 4000 tokens. */
const maxTokens = 8192

/** Some models put their answer into a code block, although it is not code. */
const withoutFence = (text: string): string =>
  /^```(?:markdown|md|text)?[ \t]*\n([\s\S]*?)\n?```$/.exec(text)?.[1] ?? text

/** Any chat model that can see images. */
export const visionRecogniser = (model: LanguageModel): TextRecogniser => ({
  id: `vision-${promptVersion} ${model.name}`,
  form: 'markdown',
  recognise: async (jpeg, { signal }) => {
    const image = { type: 'image', mimeType: 'image/jpeg', bytes: jpeg } as const
    const parts = [{ type: 'text', text: prompt } as const, image]
    const messages = [{ role: 'user', parts } as const]
    // Without the image, the model would invent an answer.
    const request = { messages, maxTokens, temperature: 0, requiresImages: true }
    const { text } = await model.generate(request, () => {}, signal)
    return withoutFence(text.trim())
      .replaceAll(/<no-text\s*\/>/g, '')
      .trim()
  },
})
