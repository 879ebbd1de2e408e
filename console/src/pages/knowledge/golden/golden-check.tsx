import { Alert, Button, Space } from 'antd'
import { useMay } from '../../../session/use-session.ts'
import { useLanguage } from '../../../ui/preferences.ts'
import { explainSentence } from '../../../ui/server-texts/message-facts.ts'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { defineWords } from '../../../ui/words.ts'
import type { KnowledgeBase } from '../use-knowledge.ts'
import { goldenHref, useDecision, useRun } from './golden-data.ts'
import { useGoldenWords } from './golden-words.ts'

const useWords = defineWords(
  {
    checking: 'Checking the golden questions',
    lost: (lost: number, total: number) => `${lost} of ${total} golden questions are no longer found`,
    index: 'The new index is complete; searches use the previous index until you decide.',
    retrieval: 'The new search options are already in use.',
    more: (count: number) => `and ${count} more`,
    gap: ' ',
    all: 'Show all results',
    accept: 'Accept the change',
    discard: 'Discard the change',
  },
  {
    checking: '正在检查标准问题',
    lost: (lost: number, total: number) => `${total} 个标准问题中有 ${lost} 个不再能找到`,
    index: '新索引已经完成；作出决定之前，搜索仍使用原来的索引。',
    retrieval: '新的搜索选项已经生效。',
    more: (count: number) => `另有 ${count} 个`,
    gap: '',
    all: '查看全部结果',
    accept: '接受更改',
    discard: '放弃更改',
  },
)

type Check = NonNullable<KnowledgeBase['golden_check']>

const maxShown = 5

interface GoldenCheckProps {
  base: KnowledgeBase
  /** The run whose results the page shows already. */
  shownRunId: string | undefined
}

/** Shown while a change is checked with the golden questions, and until the user accepts or discards it. */
export function GoldenCheck({ base, shownRunId }: GoldenCheckProps) {
  const words = useWords()
  const language = useLanguage()
  const { golden_check: check, knowledge_id: knowledgeId } = base
  if (!check) return null
  const isShown = check.run_id === shownRunId
  if (check.status === 'lost')
    return <LostQuestions knowledgeId={knowledgeId} check={check} isShown={isShown} />
  return (
    <Alert
      type={check.error === '' ? 'info' : 'warning'}
      showIcon
      className="kb-reindex golden-check"
      title={words.checking}
      description={
        <>
          {check.error === ''
            ? words[check.reason === 'index' ? 'index' : 'retrieval']
            : explainSentence(language, check.error)}
          {words.gap}
          {!isShown && <a href={goldenHref(knowledgeId, check.run_id)}>{words.all}</a>}
        </>
      }
    />
  )
}

function LostQuestions({
  knowledgeId,
  check,
  isShown,
}: {
  knowledgeId: string
  check: Check
  isShown: boolean
}) {
  const words = useWords()
  const shared = useGoldenWords()
  const may = useMay()
  const run = useRun(knowledgeId, check.run_id)
  const deciding = useDecision(knowledgeId, check.run_id)
  const before = useReturnFocus()
  const decided = deciding.isPending ? deciding.variables : undefined
  const lost = run.data?.results.filter(({ outcome }) => outcome === 'lost') ?? []
  return (
    <Alert
      type="warning"
      showIcon
      className="kb-reindex golden-check"
      title={words.lost(check.lost, check.total)}
      description={
        <>
          {check.reason === 'index' ? words.index : words.retrieval}
          {!isShown && (
            <>
              <ul className="golden-lost">
                {lost.slice(0, maxShown).map(({ question_id, question, rank, rank_before }) => (
                  <li key={question_id}>
                    {question} <span className="soft">{shared.change(rank_before ?? 0, rank)}</span>
                  </li>
                ))}
                {lost.length > maxShown && <li>{words.more(lost.length - maxShown)}</li>}
              </ul>
              <p>
                <a href={goldenHref(knowledgeId, check.run_id)}>{words.all}</a>
              </p>
            </>
          )}
          {may.write && (
            <Space wrap className="golden-decision">
              {(['discard', 'accept'] as const).map(decision => (
                <Button
                  key={decision}
                  disabled={deciding.isPending}
                  loading={decided === decision}
                  onClick={({ currentTarget }) => {
                    before.current = currentTarget
                    deciding.mutate(decision)
                  }}
                >
                  {words[decision]}
                </Button>
              ))}
            </Space>
          )}
        </>
      }
    />
  )
}
