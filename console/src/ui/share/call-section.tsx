import { defineWords } from '../words.ts'
import { CodeExample } from './code-example.tsx'

const useWords = defineWords(
  { title: 'Call it from your app', reference: 'Full API reference' },
  { title: '在你的应用中调用', reference: '完整 API 参考' },
)

const languages = { curl: 'curl', javascript: 'JavaScript', python: 'Python' }

export type CallLanguage = keyof typeof languages

/** Shows how a program calls the shared agent or workflow. */
export function CallSection({ about, code }: { about: string; code(language: CallLanguage): string }) {
  const words = useWords()
  return (
    <section aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="soft">{about}</p>
      <CodeExample title={words.title} languages={languages} code={code} />
      <p>
        <a href="/docs" target="_blank" rel="noreferrer">
          {words.reference}
        </a>
      </p>
    </section>
  )
}
