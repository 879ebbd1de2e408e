import { Segmented } from 'antd'
import { useState } from 'react'
import { defineWords } from '../words.ts'
import { CodeBlock } from './code-block.tsx'

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
  /** The subject of the examples. */
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
  return (
    <>
      <Segmented<Language>
        aria-label={words.language(title)}
        value={language}
        options={names.map(value => ({ value, label: languages[value] }))}
        onChange={setLanguage}
      />
      <CodeBlock
        title={`${title}: ${languages[language]}`}
        text={code(language)}
        copy={words.copy(languages[language])}
      />
    </>
  )
}
