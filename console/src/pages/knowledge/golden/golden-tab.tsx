import { Button, Space } from 'antd'
import { useState } from 'react'
import { saveGoldenQuestions } from '../../../api/save-file.ts'
import { useMay } from '../../../session/use-session.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ExportMenu } from '../../../ui/export-menu.tsx'
import { QueryFailure } from '../../../ui/failure.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { pathTo } from '../../../ui/router.ts'
import { defineWords } from '../../../ui/words.ts'
import type { KnowledgeBase } from '../use-knowledge.ts'
import { currentRun, isActive, useQuestions, useRuns, useStartRun } from './golden-data.ts'
import { GoldenRunView } from './golden-run-view.tsx'
import { GoldenSetting } from './golden-setting.tsx'
import { useGoldenWords } from './golden-words.ts'
import { ImportQuestions } from './import-questions.tsx'
import { QuestionDialog, type QuestionDraft } from './question-dialog.tsx'
import { QuestionTable } from './question-table.tsx'
import { RunHistory } from './run-history.tsx'
import './golden.css'

const useWords = defineWords(
  {
    add: 'Add question',
    import: 'Import',
    search: 'Choose from a search',
    empty: 'No golden questions yet',
    about:
      'A golden question is a question from users with the document that a search must find. Collect ten to fifty important questions. They are checked before a change of settings takes effect; if one is no longer found, you decide whether to accept the change. Add one here, import a list, or use “Add as golden question” on a search result.',
    documents: 'Add documents first',
    noDocuments: 'The expected documents must be in the knowledge base. Add documents first.',
  },
  {
    add: '添加问题',
    import: '导入',
    search: '从搜索结果选择',
    empty: '还没有标准问题',
    about:
      '标准问题是用户会问的问题，以及搜索时必须找到的文档。建议收集十到五十个重要的问题。设置的更改生效之前会用它们检查；如有问题不再能找到，会先征求你的意见。可以在这里添加、导入列表，或在搜索结果上选择“加为标准问题”。',
    documents: '先添加文档',
    noDocuments: '预期的文档必须在知识库中，请先添加文档。',
  },
)

/** The golden questions of a knowledge base and their runs, or the results of one run. */
export function GoldenTab({ base, query }: { base: KnowledgeBase; query: URLSearchParams }) {
  const runId = query.get('run')
  if (runId) return <GoldenRunView key={runId} base={base} runId={runId} />
  return <Questions base={base} />
}

function Questions({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const shared = useGoldenWords()
  const may = useMay()
  const knowledgeId = base.knowledge_id
  const [page, setPage] = useState(1)
  const [runPage, setRunPage] = useState(1)
  const [dialog, setDialog] = useState<'import' | QuestionDraft>()
  const questions = useQuestions(knowledgeId, page)
  const latest = useRuns(knowledgeId, 1)
  const runs = useRuns(knowledgeId, runPage)
  const starting = useStartRun(knowledgeId)
  const close = (): void => setDialog(undefined)
  const failed = [questions, runs].find(({ isLoadingError }) => isLoadingError)
  if (failed) return <QueryFailure query={failed} />
  if (!questions.data || !runs.data) return <Loading />
  const isEmpty = questions.data.total === 0
  const edits = may.write && base.document_count > 0 && (
    <>
      <Button
        {...(isEmpty && { type: 'primary' as const })}
        onClick={() => setDialog({ question: '', documents: [], expected_text: '' })}
      >
        {words.add}
      </Button>
      <Button onClick={() => setDialog('import')}>{words.import}</Button>
    </>
  )
  return (
    <div className="golden">
      {isEmpty ? (
        <EmptyState
          title={words.empty}
          actions={
            may.write && (
              <Space wrap>
                {edits}
                {base.document_count > 0 ? (
                  <Button href={pathTo('knowledge', knowledgeId, 'search')}>{words.search}</Button>
                ) : (
                  <Button href={pathTo('knowledge', knowledgeId)}>{words.documents}</Button>
                )}
              </Space>
            )
          }
        >
          {base.document_count > 0 ? words.about : `${words.about} ${words.noDocuments}`}
        </EmptyState>
      ) : (
        <>
          <div className="golden-bar">
            {may.write && (
              <Button
                type="primary"
                loading={starting.isPending}
                disabled={latest.data?.items.some(isActive) === true}
                onClick={() => starting.mutate()}
              >
                {shared.run}
              </Button>
            )}
            {edits}
            <ExportMenu save={format => saveGoldenQuestions(knowledgeId, format)} />
          </div>
          <QuestionTable
            base={base}
            questions={questions.data}
            page={page}
            onPage={setPage}
            lastRunId={currentRun(latest.data?.items)?.id}
            onEdit={setDialog}
          />
          <GoldenSetting base={base} />
        </>
      )}
      {runs.data.total > 0 && (
        <RunHistory knowledgeId={knowledgeId} runs={runs.data} page={runPage} onPage={setRunPage} />
      )}
      {dialog === 'import' && <ImportQuestions knowledgeId={knowledgeId} onClose={close} />}
      {typeof dialog === 'object' && <QuestionDialog base={base} draft={dialog} onClose={close} />}
    </div>
  )
}
