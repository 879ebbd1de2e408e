import { defineWords } from '../words.ts'
import { CodeExample } from './code-example.tsx'
import { type OpenaiLanguage, openaiSnippet } from './openai-snippets.ts'
import { SharedValue } from './shared-value.tsx'

const useWords = defineWords(
  {
    title: 'OpenAI-compatible API',
    about:
      'OpenAI clients, such as the openai packages, AI SDK, LangChain or Open WebUI, can use it as a model. Configure them with these values and a token as the API key.',
    baseUrl: 'Base URL',
    copyBaseUrl: 'Copy base URL',
    model: 'Model',
    copyModel: 'Copy model',
  },
  {
    title: 'OpenAI 兼容接口',
    about:
      '使用 OpenAI 接口的程序（如 openai 官方库、AI SDK、LangChain、Open WebUI）可以把它当作模型来调用。填入以下信息，并用令牌作为 API 密钥。',
    baseUrl: '接口地址',
    copyBaseUrl: '复制接口地址',
    model: '模型',
    copyModel: '复制模型名称',
  },
)

const languages: Record<OpenaiLanguage, string> = {
  curl: 'curl',
  python: 'Python',
  typescript: 'TypeScript',
}

/** How programs that speak OpenAI's API use an agent or a workflow as a model. */
export function OpenaiSection({ model }: { model: string }) {
  const words = useWords()
  const { origin } = window.location
  const baseUrl = `${origin}/v1`
  return (
    <section aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="soft">{words.about}</p>
      <SharedValue name={words.baseUrl} value={baseUrl} copy={words.copyBaseUrl} />
      <SharedValue name={words.model} value={model} copy={words.copyModel} />
      <CodeExample
        title={words.title}
        languages={languages}
        code={language => openaiSnippet(language, { origin, model })}
      />
    </section>
  )
}
