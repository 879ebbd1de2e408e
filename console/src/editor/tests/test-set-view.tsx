import { DownOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Space, Tabs } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { ActionMenu } from '../../ui/action-menu.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { defineWords } from '../../ui/words.ts'
import { CaseDialog, type CaseDraft } from './case-dialog.tsx'
import { CaseTable } from './case-table.tsx'
import { ImportCases } from './import-cases.tsx'
import { TestResults } from './test-results.tsx'
import {
  type TestCase,
  type TestSet,
  useCases,
  useRefreshTests,
  useTestRuns,
  useTestSet,
} from './test-set-data.ts'
import { DeleteSet, GateSelect, RenameDialog } from './test-set-tools.tsx'

const useWords = defineWords(
  {
    all: 'All test sets',
    run: 'Run tests',
    which: 'Choose what to test',
    both: 'Draft and published version',
    onlyDraft: 'Draft only',
    onlyPublished: 'Published version only',
    add: 'Add a case',
    import: 'Import',
    rename: 'Rename',
    cases: (count: number) => `Cases (${count})`,
    results: 'Results',
    noRuns: 'Not run yet',
    noRunsAbout:
      'Run the tests to see how every case is answered, side by side for draft and published version.',
  },
  {
    all: '全部测试集',
    run: '运行测试',
    which: '选择测试对象',
    both: '草稿和已发布版本',
    onlyDraft: '仅草稿',
    onlyPublished: '仅已发布版本',
    add: '添加用例',
    import: '导入',
    rename: '重命名',
    cases: (count: number) => `用例（${count}）`,
    results: '结果',
    noRuns: '还没有运行过',
    noRunsAbout: '运行测试后，可以并排查看草稿和已发布版本对每个用例的回答。',
  },
)

/** One test set: its cases, and the results of its runs. */
export function TestSetView({ setId, ...more }: { setId: string; listHref: string; isVersioned: boolean }) {
  const words = useWords()
  const set = useTestSet(setId)
  const cases = useCases(setId)
  const runs = useTestRuns(setId)
  const failed = [set, cases, runs].find(({ isError }) => isError)
  if (failed?.isLoadingError) return <QueryFailure query={failed} />
  if (!set.data || !cases.data || !runs.data) return <Loading />
  return (
    <>
      <a className="page-back" href={more.listHref}>
        ← {words.all}
      </a>
      {failed && <QueryFailure query={failed} />}
      <OpenSet set={set.data} cases={cases.data} runs={runs.data.items} {...more} />
    </>
  )
}

interface OpenSetProps {
  set: TestSet
  cases: readonly TestCase[]
  runs: NonNullable<ReturnType<typeof useTestRuns>['data']>['items']
  listHref: string
  isVersioned: boolean
}

type Target = 'draft' | 'published'

function OpenSet({ set, cases, runs, listHref, isVersioned }: OpenSetProps) {
  const words = useWords()
  const may = useMay()
  const refresh = useRefreshTests()
  const showFailure = useFailureToast()
  const [tab, setTab] = useState<'cases' | 'results'>(set.last_run ? 'results' : 'cases')
  const [shown, setShown] = useState<string>()
  const [dialog, setDialog] = useState<'import' | 'rename' | { draft?: CaseDraft }>()
  const close = (): void => setDialog(undefined)
  const starting = useMutation({
    mutationFn: (against: Target[]) => call('POST /api/v1/test/run', { body: { id: set.id, against } }),
    onSuccess: async ({ id }) => {
      setShown(id)
      setTab('results')
      await refresh()
    },
    onError: showFailure,
  })
  const latest = shown ?? runs[0]?.id
  return (
    <>
      <div className="test-set-head">
        <h2>{set.name}</h2>
        {set.workflow_id !== '' && <GateSelect set={set} isFixed={!may.write} />}
        {may.write && (
          <Space wrap>
            <RunButton
              isVersioned={isVersioned}
              isDisabled={cases.length === 0}
              isPending={starting.isPending}
              onRun={against => starting.mutate(against)}
            />
            <Button onClick={() => setDialog({})}>{words.add}</Button>
            <Button onClick={() => setDialog('import')}>{words.import}</Button>
            <Button onClick={() => setDialog('rename')}>{words.rename}</Button>
            <DeleteSet set={set} listHref={listHref} />
          </Space>
        )}
      </div>
      <Tabs
        activeKey={tab}
        onChange={key => setTab(key as typeof tab)}
        items={[
          {
            key: 'cases',
            label: words.cases(cases.length),
            children: (
              <CaseTable
                set={set}
                cases={cases}
                mayWrite={may.write}
                onEdit={draft => setDialog({ draft })}
              />
            ),
          },
          {
            key: 'results',
            label: words.results,
            children: latest ? (
              <TestResults runs={runs} shown={latest} onShow={setShown} mayWrite={may.write} />
            ) : (
              <EmptyState title={words.noRuns}>{words.noRunsAbout}</EmptyState>
            ),
          },
        ]}
      />
      {dialog === 'import' && <ImportCases setId={set.id} onClose={close} />}
      {dialog === 'rename' && <RenameDialog set={set} onClose={close} />}
      {typeof dialog === 'object' && (
        <CaseDialog to={{ setId: set.id }} draft={dialog.draft} onClose={close} />
      )}
    </>
  )
}

function RunButton({
  isVersioned,
  isDisabled,
  isPending,
  onRun,
}: {
  isVersioned: boolean
  isDisabled: boolean
  isPending: boolean
  onRun(against: Target[]): void
}) {
  const words = useWords()
  const run = (
    <Button
      type="primary"
      disabled={isDisabled}
      loading={isPending}
      onClick={() => onRun(['draft', 'published'])}
    >
      {words.run}
    </Button>
  )
  if (!isVersioned) return run
  return (
    <Space.Compact>
      {run}
      <ActionMenu
        disabled={isDisabled}
        menu={{
          items: [
            { key: 'both', label: words.both, onClick: () => onRun(['draft', 'published']) },
            { key: 'draft', label: words.onlyDraft, onClick: () => onRun(['draft']) },
            { key: 'published', label: words.onlyPublished, onClick: () => onRun(['published']) },
          ],
        }}
      >
        <Button
          type="primary"
          disabled={isDisabled}
          icon={<DownOutlined aria-hidden />}
          aria-label={words.which}
        />
      </ActionMenu>
    </Space.Compact>
  )
}
