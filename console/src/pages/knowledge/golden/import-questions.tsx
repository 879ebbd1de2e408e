import type { SkipReason } from '../../../../../src/contract/golden-operations.ts'
import { call } from '../../../api/call.ts'
import { ImportDialog } from '../../../ui/import-dialog.tsx'
import { useLanguage } from '../../../ui/preferences.ts'
import { factsIn } from '../../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../../ui/words.ts'
import { useRefreshKnowledge } from '../use-knowledge.ts'

const useWords = defineWords(
  {
    title: 'Import golden questions',
    about:
      'CSV with a header, JSON lines or a JSON array. Columns or fields: question, document (name or id; several are separated by | in CSV and are a list in JSON) and text (optional: text that the passage must contain).',
    done: (count: number) => (count === 1 ? '1 question was added.' : `${count} questions were added.`),
  },
  {
    title: '导入标准问题',
    about:
      '带表头的 CSV、JSON Lines 或 JSON 数组。列或字段：question（问题）、document（文档名称或 ID；多个文档在 CSV 中用 | 分隔，在 JSON 中写成数组）和 text（可选，段落必须包含的文字）。',
    done: (count: number) => `已添加 ${count} 个问题。`,
  },
)

/** Why a line was skipped, in Chinese; the English sentence comes from the server. */
const chineseReasons: Readonly<Record<SkipReason, (facts: string) => string>> = {
  not_json: () => '不是 JSON 对象',
  no_question: () => '缺少问题',
  no_document: () => '缺少文档',
  unknown_document: name => `知识库中没有文档“${name}”`,
  too_many_documents: () => '文档太多',
  too_long: limit => `问题或文字太长，最多 ${limit}`,
  duplicate: () => '这个问题在内容中出现了两次',
  exists: () => '这个问题已经存在',
}

/** Adds the golden questions of a file or a pasted text. */
export function ImportQuestions({ knowledgeId, onClose }: { knowledgeId: string; onClose(): void }) {
  const words = useWords()
  const language = useLanguage()
  const refresh = useRefreshKnowledge()
  return (
    <ImportDialog
      {...words}
      name="import-golden-questions"
      placeholder={'question,document,text\nHow many days of leave?,leave.md,20 days'}
      send={async body => {
        const { added, skipped } = await call('POST /api/v1/knowledge/{knowledge_id}/golden/import', {
          params: { knowledge_id: knowledgeId },
          body,
        })
        return {
          added,
          skipped: skipped.map(({ line, reason, message }) => ({
            line,
            text: language === 'zh' ? chineseReasons[reason](factsIn(message)[0] ?? '') : message,
          })),
        }
      }}
      onImported={() => refresh(knowledgeId)}
      onClose={onClose}
    />
  )
}
