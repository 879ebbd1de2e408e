import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, InputNumber } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ItemOf } from '../../../api/operations.ts'
import { saveAnnotations } from '../../../api/save-file.ts'
import { useMay } from '../../../session/use-session.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ExportMenu } from '../../../ui/export-menu.tsx'
import { QueryFailure, useFailureToast } from '../../../ui/failure.tsx'
import { ListSearch } from '../../../ui/list-search.tsx'
import { actionsColumn, ListTable } from '../../../ui/list-table.tsx'
import { RowButtons } from '../../../ui/row-buttons.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type AgentRecord, agentKey } from '../agent-record.ts'
import { AnnotationDialog, type AnnotationDraft } from './annotation-dialog.tsx'
import { ImportAnnotations } from './import-annotations.tsx'

const useWords = defineWords(
  {
    search: 'Search annotations',
    add: 'New annotation',
    import: 'Import',
    threshold: 'Minimum similarity',
    thresholdAbout: '1: only the same question',
    question: 'Question',
    answer: 'Answer',
    hits: 'Used',
    last: 'Last used',
    never: 'never',
    sure: 'Delete this annotation?',
    lost: 'The agent will answer the question itself again.',
    deleted: 'The annotation was deleted.',
    empty: 'No annotations yet',
    about:
      'An annotation is a fixed answer to a question. The agent gives it at once, without a model.  Add one here, or choose “Use this answer next time” below an answer.',
    none: 'No matching annotations.',
    editors: 'Only editors can see annotations.',
  },
  {
    search: '搜索标注',
    add: '新建标注',
    import: '导入',
    threshold: '相似度阈值',
    thresholdAbout: '1 表示只匹配相同的问题',
    question: '问题',
    answer: '回答',
    hits: '使用次数',
    last: '最近使用',
    never: '从未使用',
    sure: '删除这条标注？',
    lost: '智能体将重新自行回答这个问题。',
    deleted: '标注已删除。',
    empty: '还没有标注',
    about:
      '标注是你为某个问题指定的回答，智能体会直接给出它，不调用模型。可以在这里添加，或在回答下方选择“下次使用这个回答”。',
    none: '没有匹配的标注。',
    editors: '只有编辑者可以查看标注。',
  },
)

type Annotation = ItemOf<'POST /api/v1/annotation/list'>

const pageSize = 20

interface AnnotationsTabProps {
  agent: AgentRecord
  /** The annotation that the list shows alone at first. */
  shownId?: string | undefined
}

/** The answers that an agent gives without a model. */
export function AnnotationsTab({ agent, shownId }: AnnotationsTabProps) {
  const words = useWords()
  const may = useMay()
  return (
    <div className="agent-content">
      {may.write ? (
        <Annotations key={shownId} agent={agent} shownId={shownId} />
      ) : (
        <EmptyState title={words.empty}>{words.editors}</EmptyState>
      )}
    </div>
  )
}

function Annotations({ agent, shownId = '' }: AnnotationsTabProps) {
  const words = useWords()
  const [typed, setTyped] = useState(shownId)
  const [page, setPage] = useState(1)
  const [draft, setDraft] = useState<AnnotationDraft>()
  const queries = useQueryClient()
  const keyword = useDebounced(typed.trim())
  const list = useQuery({
    queryKey: ['annotations', agent.id, keyword, page],
    queryFn: ({ signal }) =>
      call('POST /api/v1/annotation/list', {
        body: { agent_id: agent.id, keyword, page, page_size: pageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['annotations', agent.id] })
  if (list.isLoadingError) return <QueryFailure query={list} />
  const isEmpty = list.data?.total === 0 && keyword === ''
  return (
    <>
      <div className="annotation-bar">
        {!isEmpty && (
          <ListSearch
            label={words.search}
            value={typed}
            onChange={value => {
              setTyped(value)
              setPage(1)
            }}
          />
        )}
        <Button type="primary" onClick={() => setDraft({ question: '', answer: '' })}>
          {words.add}
        </Button>
        <Exchange agentId={agent.id} onImported={refresh} />
        <Threshold agent={agent} />
      </div>
      {isEmpty ? (
        <EmptyState title={words.empty}>{words.about}</EmptyState>
      ) : (
        <ListTable<Annotation>
          rowKey="id"
          loading={list.isPending}
          dataSource={list.data?.items ?? []}
          locale={{ emptyText: words.none }}
          pagination={{
            ...{ current: page, pageSize, total: list.data?.total ?? 0 },
            onChange: setPage,
          }}
          columns={[
            { title: words.question, dataIndex: 'question', width: '28%' },
            {
              title: words.answer,
              render: (_, { answer }) => <div className="annotation-answer">{answer}</div>,
            },
            { title: words.hits, dataIndex: 'hits', align: 'right' },
            {
              title: words.last,
              render: (_, { last_hit_at }) =>
                last_hit_at === null ? (
                  <span className="soft">{words.never}</span>
                ) : (
                  <When time={last_hit_at} />
                ),
            },
            actionsColumn<Annotation>(
              each => (
                <RowButtons
                  name={each.question}
                  onEdit={() => setDraft(each)}
                  question={words.sure}
                  lost={words.lost}
                  done={words.deleted}
                  remove={() => call('POST /api/v1/annotation/delete', { body: { id: each.id } })}
                  onRemoved={refresh}
                />
              ),
              '9rem',
            ),
          ]}
        />
      )}
      {draft && <AnnotationDialog agentId={agent.id} draft={draft} onClose={() => setDraft(undefined)} />}
    </>
  )
}

/** Import from and export to CSV and JSON lines. */
function Exchange({ agentId, onImported }: { agentId: string; onImported: () => Promise<void> }) {
  const words = useWords()
  const [isImporting, setImporting] = useState(false)
  return (
    <>
      <Button onClick={() => setImporting(true)}>{words.import}</Button>
      <ExportMenu save={format => saveAnnotations(agentId, format)} />
      {isImporting && (
        <ImportAnnotations agentId={agentId} onImported={onImported} onClose={() => setImporting(false)} />
      )}
    </>
  )
}

/** Sets how similar a question must be. */
function Threshold({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const saving = useMutation({
    mutationFn: (value: number) =>
      call('POST /api/v1/agent/update', {
        body: { id: agent.id, config: { annotation_threshold: value >= 1 ? null : value } },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: agentKey(agent.id) }),
    onError: showFailure,
  })
  return (
    <div className="annotation-threshold">
      <span className="soft">{words.threshold}</span>
      <InputNumber
        aria-label={words.threshold}
        title={words.thresholdAbout}
        min={0.5}
        max={1}
        step={0.05}
        changeOnWheel={false}
        defaultValue={agent.config.annotation_threshold ?? 1}
        onBlur={event => {
          const value = Number(event.target.value)
          if (value >= 0.5 && value <= 1 && value !== (agent.config.annotation_threshold ?? 1))
            saving.mutate(value)
        }}
      />
    </div>
  )
}
