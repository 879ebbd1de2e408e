export type DemoLanguage = 'en' | 'zh'

/** All that users read in the demo; its answers are in the language of the question. */
export interface DemoTexts {
  knowledgeDescription: string
  workflowName: string
  agentName: string
  intro: string
  prologue: string
  questions: readonly string[]
  titles: Readonly<
    Record<'input' | 'retrieve' | 'hasModel' | 'answer' | 'say' | 'quote' | 'show' | 'end', string>
  >
}

export const demoTexts: Readonly<Record<DemoLanguage, DemoTexts>> = {
  en: {
    knowledgeDescription: 'The documentation of this project, for the demo agent.',
    workflowName: 'Demo: answers from the docs',
    agentName: 'Banyan guide',
    intro: 'Answers questions about Banyan.',
    prologue: 'Hello! Ask me anything about Banyan.',
    questions: [
      'How do I connect a language model?',
      'Which documents can a knowledge base read?',
      'How do I make a backup?',
    ],
    titles: {
      input: 'Question',
      retrieve: 'Search the docs',
      hasModel: 'Model configured?',
      answer: 'Answer',
      say: 'Reply',
      quote: 'Quote',
      show: 'Show the passages',
      end: 'End',
    },
  },
  zh: {
    knowledgeDescription: '本项目的文档，供示例智能体使用。',
    workflowName: '示例：查文档回答',
    agentName: '榕树向导',
    intro: '回答关于 Banyan 的问题。',
    prologue: '你好！关于 Banyan 的问题都可以问我。',
    questions: ['怎么接入大模型？', '知识库支持哪些文档格式？', 'Banyan 怎么备份？'],
    titles: {
      input: '提问',
      retrieve: '检索文档',
      hasModel: '有模型吗',
      answer: '回答',
      say: '回复',
      quote: '摘录',
      show: '列出原文',
      end: '结束',
    },
  },
}

/** The language for a value of DEMO; `on` means the language of the server's system. */
export function demoLanguage(setting: string): DemoLanguage | undefined {
  if (setting === 'off') return undefined
  const chosen = setting === 'on' ? new Intl.DateTimeFormat().resolvedOptions().locale : setting
  return chosen.startsWith('zh') ? 'zh' : 'en'
}
