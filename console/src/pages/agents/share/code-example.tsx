import { Segmented } from 'antd'
import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  {
    language: (title: string) => `${title}: language`,
    copy: (language: string) => `Copy ${language} example`,
  },
  {
    language: (title: string) => `${title}：语言`,
    copy: (language: string) => `复制 ${language} 示例`,
  },
)

interface CodeExampleProps<Language extends string> {
  /** What the examples are about. */
  title: string
  /** The name of each language, in the order in which they are offered. */
  languages: Readonly<Record<Language, string>>
  code(language: Language): string
}

/** An example in one of several languages, to copy. */
export function CodeExample<Language extends string>({ title, languages, code }: CodeExampleProps<Language>) {
  const words = useWords()
  const names = Object.keys(languages) as Language[]
  const [language, setLanguage] = useState(names[0]!)
  const text = code(language)
  return (
    <>
      <Segmented<Language>
        aria-label={words.language(title)}
        value={language}
        options={names.map(value => ({ value, label: languages[value] }))}
        onChange={setLanguage}
      />
      <div className="code-block snippet">
        <CopyButton size="small" text={text} label={words.copy(languages[language])} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section aria-label={`${title}: ${languages[language]}`} tabIndex={0}>
          <pre>{text}</pre>
        </section>
      </div>
    </>
  )
}
