import { call } from '../../../api/call.ts'
import { useMay } from '../../../session/use-session.ts'
import { actionsColumn, ListTable } from '../../../ui/list-table.tsx'
import { pathTo } from '../../../ui/router.ts'
import { RowButtons } from '../../../ui/row-buttons.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type KnowledgeBase, useRefreshKnowledge } from '../use-knowledge.ts'
import { type GoldenQuestion, pageSize, useRun } from './golden-data.ts'
import { GoldenOutcome } from './golden-outcome.tsx'
import { useGoldenWords } from './golden-words.ts'

const useWords = defineWords(
  {
    documents: 'Expected documents',
    removed: 'Removed document',
    passage: (text: string) => `Passage with “${text}”`,
    last: 'Last result',
    never: 'Not run yet',
    sure: 'Delete this golden question?',
    lost: 'It will no longer be checked. Results of earlier runs are kept.',
    deleted: 'The golden question was deleted.',
  },
  {
    documents: '预期的文档',
    removed: '已移除的文档',
    passage: (text: string) => `包含“${text}”的段落`,
    last: '最近结果',
    never: '还没有运行过',
    sure: '删除这个标准问题？',
    lost: '之后不再检查它，以前的运行结果会保留。',
    deleted: '标准问题已删除。',
  },
)

interface QuestionTableProps {
  base: KnowledgeBase
  questions: { items: GoldenQuestion[]; total: number }
  page: number
  onPage(page: number): void
  /** The run with the last results. */
  lastRunId: string | undefined
  onEdit(question: GoldenQuestion): void
}

/** The golden questions with their last results. */
export function QuestionTable({ base, questions, page, onPage, lastRunId, onEdit }: QuestionTableProps) {
  const words = useWords()
  const shared = useGoldenWords()
  const may = useMay()
  const refresh = useRefreshKnowledge()
  const knowledgeId = base.knowledge_id
  const { data: last } = useRun(knowledgeId, lastRunId)
  return (
    <ListTable<GoldenQuestion>
      className="golden-table"
      rowKey="id"
      dataSource={questions.items}
      pagination={{
        ...{ current: page, pageSize, total: questions.total, onChange: onPage },
      }}
      columns={[
        {
          title: shared.question,
          width: '36%',
          render: (_, { question }) => <strong className="golden-question">{question}</strong>,
        },
        {
          title: words.documents,
          render: (_, { documents, expected_text }) => (
            <>
              <ul className="golden-documents">
                {documents.map(({ file_id, name }) => (
                  <li key={file_id}>
                    {name === null ? (
                      <span className="soft">{words.removed}</span>
                    ) : (
                      <a href={pathTo('knowledge', knowledgeId, 'documents', file_id)}>{name}</a>
                    )}
                  </li>
                ))}
              </ul>
              {expected_text !== '' && (
                <div className="soft small golden-text">{words.passage(expected_text)}</div>
              )}
            </>
          ),
        },
        {
          title: words.last,
          render: (_, { id, question }) => {
            // The result of another wording says nothing about this one.
            const result = last?.results.find(each => each.question_id === id && each.question === question)
            if (lastRunId !== undefined && !last) return '–'
            if (!last || !result) return <span className="soft">{words.never}</span>
            return <GoldenOutcome result={result} topK={last.run.top_k} />
          },
        },
        ...(may.write
          ? [
              actionsColumn<GoldenQuestion>(
                each => (
                  <RowButtons
                    name={each.question}
                    onEdit={() => onEdit(each)}
                    question={words.sure}
                    lost={words.lost}
                    done={words.deleted}
                    remove={() =>
                      call('POST /api/v1/knowledge/{knowledge_id}/golden/questions/{question_id}/delete', {
                        params: { knowledge_id: knowledgeId, question_id: each.id },
                      })
                    }
                    onRemoved={() => refresh(knowledgeId)}
                  />
                ),
                '9rem',
              ),
            ]
          : []),
      ]}
    />
  )
}
