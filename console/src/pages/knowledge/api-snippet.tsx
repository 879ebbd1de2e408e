import { CopyButton } from '../../ui/copy-button.tsx'
import { defineWords } from '../../ui/words.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    about: 'A token with the viewer role is sufficient. Admins can create one under Access tokens.',
    copy: 'Copy command',
    question: 'How many days of holiday?',
  },
  {
    about: '使用查看者角色的令牌即可，管理员可在“访问令牌”页创建。',
    copy: '复制命令',
    question: '有多少天假期？',
  },
)

/** The call that searches this base, ready to be pasted into a terminal. */
export function ApiSnippet({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const address = `${window.location.origin}/api/v1/knowledge/${base.knowledge_id}/search`
  const command = `curl ${address} \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ query: words.question, top_k: base.retrieval.top_k })}'`
  return (
    <>
      <p className="soft">{words.about}</p>
      <div className="kb-snippet">
        <pre>{command}</pre>
        <CopyButton text={command} label={words.copy} />
      </div>
    </>
  )
}
