import blank from '../../../../examples/blank.json'
import branches from '../../../../examples/branches.json'
import difyApp from '../../../../examples/dify-app.yml?raw'
import formFilling from '../../../../examples/form-filling.json'
import mcpClient from '../../../../examples/mcp-client.json'
import modelAnswer from '../../../../examples/model-answer.json'
import openaiClient from '../../../../examples/openai-client.json'
import ragBot from '../../../../examples/rag-bot.json'
import scheduledReport from '../../../../examples/scheduled-report.json'
import serviceRobot from '../../../../examples/service-robot.json'

/** A workflow to start with, as the text of a file for the import. */
interface Template {
  key: string
  name: string
  about: string
  content: string
}

/** An example with its texts in Chinese. */
interface Example {
  name: string
  about: string
  zh: Readonly<Record<string, string | undefined>>
}

const examples: Readonly<Record<string, Example>> = {
  modelAnswer,
  ragBot,
  formFilling,
  branches,
  serviceRobot,
  scheduledReport,
  openaiClient,
  mcpClient,
  blank,
}

const difyWords = {
  en: {
    name: 'Dify app',
    about: 'Imports an exported Dify app with a form, code, a branch and memory.',
  },
  zh: { name: 'Dify 应用', about: '从 Dify 导出的应用：带表单、代码、分支和记忆变量，创建时导入。' },
}

/** The examples of the project, in the language of the user. */
export const templatesIn = (language: 'en' | 'zh'): Template[] => [
  ...Object.entries(examples).map(([key, example]) => {
    const { zh: _, ...document } = language === 'zh' ? translated(example) : example
    const { name, about } = document
    return { key, name, about, content: JSON.stringify(document) }
  }),
  { key: 'difyApp', ...difyWords[language], content: difyApp },
]

/** Translates all texts of the example that are in its dictionary, including names of options. */
function translated(example: Example): Example {
  const { zh } = example
  const word = (text: string): string => (Object.hasOwn(zh, text) ? (zh[text] ?? text) : text)
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return word(value)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [word(key), walk(each)]))
  }
  return { ...(walk({ ...example, zh: {} }) as Example), zh }
}
