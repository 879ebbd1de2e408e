import { useMutation, useQuery } from '@tanstack/react-query'
import { Alert, Button, Space } from 'antd'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    checking: 'Checking the golden questions',
    lost: (lost: number, total: number) => `${lost} of ${total} golden questions are no longer found`,
    index: 'The new index is complete; searches use the previous one until this is decided.',
    retrieval: 'The new search options are in use already.',
    ranks: (before: number, now: number | null) =>
      now === null ? `rank ${before} before, not found now` : `rank ${before} before, ${now} now`,
    accept: 'Accept the change',
    discard: 'Discard the change',
  },
  {
    checking: '正在检查标准问题',
    lost: (lost: number, total: number) => `${total} 个标准问题中有 ${lost} 个不再能找到`,
    index: '新索引已经完成；作出决定之前，搜索仍使用原来的索引。',
    retrieval: '新的搜索选项已经生效。',
    ranks: (before: number, now: number | null) =>
      now === null ? `之前排第 ${before}，现在找不到` : `之前排第 ${before}，现在排第 ${now}`,
    accept: '接受更改',
    discard: '放弃更改',
  },
)

type Check = NonNullable<KnowledgeBase['golden_check']>

/** Shown while golden questions are asked because of a change, and while somebody has to decide about it. */
export function GoldenCheck({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const { golden_check: check } = base
  if (!check) return null
  if (check.status === 'lost') return <LostQuestions knowledgeId={base.knowledge_id} check={check} />
  return (
    <Alert
      type={check.error === '' ? 'info' : 'warning'}
      showIcon
      className="kb-reindex"
      title={words.checking}
      description={check.error || (check.reason === 'index' ? words.index : words.retrieval)}
    />
  )
}

function LostQuestions({ knowledgeId, check }: { knowledgeId: string; check: Check }) {
  const words = useWords()
  const may = useMay()
  const tell = useFailureToast()
  const refresh = useRefreshKnowledge()
  const params = { knowledge_id: knowledgeId, run_id: check.run_id }
  const run = useQuery({
    queryKey: ['knowledge', 'golden', check.run_id],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}', { params, signal }),
  })
  const onSettled = () => refresh(knowledgeId)
  const accept = useMutation({
    mutationFn: () => call('POST /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}/accept', { params }),
    onError: tell,
    onSettled,
  })
  const discard = useMutation({
    mutationFn: () => call('POST /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}/discard', { params }),
    onError: tell,
    onSettled,
  })
  const isDeciding = accept.isPending || discard.isPending
  const lost = run.data?.results.filter(({ outcome }) => outcome === 'lost') ?? []
  return (
    <Alert
      type="warning"
      showIcon
      className="kb-reindex"
      title={words.lost(check.lost, check.total)}
      description={
        <>
          {check.reason === 'index' ? words.index : words.retrieval}
          <ul>
            {lost.map(({ question_id, question, rank, rank_before }) => (
              <li key={question_id}>
                {question} <span className="soft">{words.ranks(rank_before ?? 0, rank)}</span>
              </li>
            ))}
          </ul>
          {may.write && (
            <Space wrap>
              <Button disabled={isDeciding} loading={discard.isPending} onClick={() => discard.mutate()}>
                {words.discard}
              </Button>
              <Button disabled={isDeciding} loading={accept.isPending} onClick={() => accept.mutate()}>
                {words.accept}
              </Button>
            </Space>
          )}
        </>
      }
    />
  )
}
