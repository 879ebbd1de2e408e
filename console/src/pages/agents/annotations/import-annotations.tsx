import type { AnnotationSkipReason } from '../../../../../src/contract/annotation-operations.ts'
import { call } from '../../../api/call.ts'
import type { CallData } from '../../../api/operations.ts'
import { ImportDialog, type ImportResult } from '../../../ui/import-dialog.tsx'
import { useLanguage } from '../../../ui/preferences.ts'
import { factsIn } from '../../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  {
    title: 'Import annotations',
    about: 'CSV with a header, or JSON lines. Columns or fields: question and answer.',
    expected: (added: number, updated: number) =>
      `${added === 1 ? '1 annotation' : `${added} annotations`} will be added, ${updated} will get another answer.`,
    done: (added: number, updated: number) => `${added} added, ${updated} updated.`,
  },
  {
    title: '导入标注',
    about: '带表头的 CSV 或 JSON Lines。列或字段：question（问题）和 answer（回答）。',
    expected: (added: number, updated: number) => `将新增 ${added} 条标注，更新 ${updated} 条的回答。`,
    done: (added: number, updated: number) => `新增 ${added} 条，更新 ${updated} 条。`,
  },
)

/** Why a line is left out, in Chinese; the English sentence comes from the server. */
const chineseReasons: Readonly<Record<AnnotationSkipReason, (facts: string) => string>> = {
  not_json: () => '不是 JSON 对象',
  no_question: () => '缺少问题',
  no_answer: () => '缺少回答',
  too_long: limit => `问题或回答太长，最多 ${limit}`,
}

interface ImportAnnotationsProps {
  agentId: string
  onImported(): Promise<void>
  onClose(): void
}

/** Shows what a file or a pasted text would change before anything is stored. */
export function ImportAnnotations({ agentId, onImported, onClose }: ImportAnnotationsProps) {
  const { expected, ...words } = useWords()
  const language = useLanguage()
  const resultOf = ({ skipped, ...counts }: CallData<'POST /api/v1/annotation/import'>): ImportResult => ({
    ...counts,
    skipped: skipped.map(({ line, reason, message }) => ({
      line,
      text: language === 'zh' ? chineseReasons[reason](factsIn(message).at(-1) ?? '') : message,
    })),
  })
  return (
    <ImportDialog
      {...words}
      name="import-annotations"
      placeholder={'question,answer\nHow many days of leave?,20 days a year'}
      preview={{
        expected,
        check: async (fields, signal) =>
          resultOf(
            await call('POST /api/v1/annotation/preview', { body: { agent_id: agentId, ...fields }, signal }),
          ),
      }}
      send={async fields =>
        resultOf(
          await call('POST /api/v1/annotation/import', {
            body: { agent_id: agentId, ...fields, skip_invalid: true },
          }),
        )
      }
      onImported={onImported}
      onClose={onClose}
    />
  )
}
