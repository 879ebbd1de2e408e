import { tokenPlaceholder } from './token-placeholder.ts'

export type OpenaiLanguage = 'curl' | 'python' | 'typescript'

interface OpenaiSnippetFor {
  /** The server's origin, without a trailing slash. */
  origin: string
  /** An agent's id, or `workflow/` and the id of a workflow. */
  model: string
}

const writers: Record<OpenaiLanguage, (about: OpenaiSnippetFor) => string> = {
  curl: ({ origin, model }) => `curl ${origin}/v1/chat/completions \\
  -H 'Authorization: Bearer ${tokenPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "${model}",
       "messages": [{"role": "user", "content": "Hello"}]}'
`,
  python: ({ origin, model }) => `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${tokenPlaceholder}")
stream = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
`,
  typescript: ({ origin, model }) => `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${tokenPlaceholder}' })
const first = await client.responses.create({ model: '${model}', input: 'Hello' })
console.log(first.output_text)
const second = await client.responses.create({
  model: '${model}',
  input: 'And then?',
  previous_response_id: first.id,
})
console.log(second.output_text)
`,
}

/** Examples with the packages of OpenAI; they work as they are, except for the token. */
export const openaiSnippet = (language: OpenaiLanguage, about: OpenaiSnippetFor): string =>
  writers[language](about)
