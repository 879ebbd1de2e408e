import { DownOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Dropdown, Form, Input, Select, Space, Table, Tabs } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure, useFailureToast } from '../../ui/failure.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { navigate } from '../../ui/router.ts'
import { WideTable } from '../../ui/wide-table.tsx'
import { defineWords } from '../../ui/words.ts'
import { CaseDialog, type CaseDraft } from './case-dialog.tsx'
import { ImportCases } from './import-cases.tsx'
import { Expected, TestResults } from './test-results.tsx'
import {
  type Gate,
  type TestCase,
  type TestSet,
  useCases,
  useRefreshTests,
  useTestRuns,
  useTestSet,
} from './test-set-data.ts'
import { useTestWords } from './test-words.ts'

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
    renameTitle: 'Rename the test set',
    name: 'Name',
    nameNeeded: 'Enter a name',
    deleteSet: 'Delete the test set',
    deleteQuestion: 'Delete this test set?',
    deleteLost: 'Its cases and results will be deleted too.',
    deleted: 'The test set was deleted.',
    cases: (count: number) => `Cases (${count})`,
    results: 'Results',
    case: 'Case',
    expected: 'Expected',
    actions: 'Actions',
    edit: 'Edit',
    editCase: (name: string) => `Edit ${name}`,
    deleteCase: (name: string) => `Delete ${name}`,
    deleteCaseQuestion: 'Delete this case?',
    deleteCaseLost: 'Results of earlier test runs are kept.',
    deletedCase: 'The case was deleted.',
    noCases: 'No cases yet',
    noCasesAbout:
      'A case has the question of a run and checks of its answer. Add one by hand, import a file, or use “Add to test set” on a run.',
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
    renameTitle: '重命名测试集',
    name: '名称',
    nameNeeded: '请填写名称',
    deleteSet: '删除测试集',
    deleteQuestion: '删除这个测试集？',
    deleteLost: '其中的用例和结果也会被删除。',
    deleted: '测试集已删除。',
    cases: (count: number) => `用例（${count}）`,
    results: '结果',
    case: '用例',
    expected: '期望',
    actions: '操作',
    edit: '编辑',
    editCase: (name: string) => `编辑 ${name}`,
    deleteCase: (name: string) => `删除 ${name}`,
    deleteCaseQuestion: '删除这个用例？',
    deleteCaseLost: '以前的测试结果会保留。',
    deletedCase: '用例已删除。',
    noCases: '还没有用例',
    noCasesAbout: '用例包括运行的问题和对回答的检查。可以手动添加、导入文件，或在运行页面点击“加入测试集”。',
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
  if (set.isError) return <Failure error={set.error} onRetry={() => set.refetch()} />
  if (!set.data || cases.isPending || runs.isPending) return <Loading />
  const failed = cases.isError ? cases : runs.isError ? runs : undefined
  return (
    <>
      <a className="page-back" href={more.listHref}>
        ← {words.all}
      </a>
      {failed && <Failure error={failed.error} onRetry={() => failed.refetch()} />}
      <OpenSet set={set.data} cases={cases.data ?? []} runs={runs.data?.items ?? []} {...more} />
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
              <Cases set={set} cases={cases} mayWrite={may.write} onEdit={draft => setDialog({ draft })} />
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
      <Dropdown
        trigger={['click']}
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
          aria-haspopup="menu"
          aria-label={words.which}
        />
      </Dropdown>
    </Space.Compact>
  )
}

/** What happens when a version is published that has not passed. */
function GateSelect({ set, isFixed }: { set: TestSet; isFixed: boolean }) {
  const shared = useTestWords()
  const refresh = useRefreshTests()
  const showFailure = useFailureToast()
  const saving = useMutation({
    mutationFn: (gate: Gate) => call('POST /api/v1/test/update', { body: { id: set.id, gate } }),
    onSuccess: refresh,
    onError: showFailure,
  })
  const names = { off: shared.gateOff, warn: shared.gateWarn, refuse: shared.gateRefuse }
  return (
    <div className="test-gate">
      <span className="soft">{shared.gate}</span>
      <Select<Gate>
        aria-label={shared.gate}
        value={saving.isPending ? saving.variables : set.gate}
        disabled={isFixed}
        options={(['off', 'warn', 'refuse'] as const).map(value => ({ value, label: names[value] }))}
        onChange={gate => saving.mutate(gate)}
      />
    </div>
  )
}

function DeleteSet({ set, listHref }: { set: TestSet; listHref: string }) {
  const words = useWords()
  const shared = useTestWords()
  const refresh = useRefreshTests()
  return (
    <DeleteButton
      text={shared.delete}
      label={words.deleteSet}
      question={words.deleteQuestion}
      lost={words.deleteLost}
      done={words.deleted}
      remove={() => call('POST /api/v1/test/delete', { body: { id: set.id } })}
      onRemoved={() => {
        navigate(listHref)
        return refresh()
      }}
    />
  )
}

function RenameDialog({ set, onClose }: { set: TestSet; onClose(): void }) {
  const words = useWords()
  const refresh = useRefreshTests()
  const saving = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      call('POST /api/v1/test/update', { body: { id: set.id, name: name.trim() } }),
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  return (
    <FormDialog
      title={words.renameTitle}
      name="rename-test-set"
      saving={saving}
      initial={{ name: set.name }}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input autoFocus autoComplete="off" maxLength={100} />
      </Form.Item>
    </FormDialog>
  )
}

interface CasesProps {
  set: TestSet
  cases: readonly TestCase[]
  mayWrite: boolean
  onEdit(draft: CaseDraft): void
}

function Cases({ set, cases, mayWrite, onEdit }: CasesProps) {
  const words = useWords()
  const shared = useTestWords()
  const refresh = useRefreshTests()
  if (cases.length === 0) return <EmptyState title={words.noCases}>{words.noCasesAbout}</EmptyState>
  return (
    <WideTable>
      <Table<TestCase>
        className="test-table"
        rowKey="id"
        size="middle"
        dataSource={[...cases]}
        pagination={{ pageSize: 50, hideOnSinglePage: true, showSizeChanger: false }}
        columns={[
          {
            title: words.case,
            render: (_, { name, inputs }) => (
              <>
                <strong className="test-name">{name}</strong>
                {typeof inputs['query'] === 'string' && inputs['query'] !== name && (
                  <div className="soft small test-text">{inputs['query']}</div>
                )}
              </>
            ),
          },
          { title: words.expected, render: (_, { checks }) => <Expected checks={checks} /> },
          ...(mayWrite
            ? [
                {
                  title: <span className="visually-hidden">{words.actions}</span>,
                  key: 'actions',
                  width: '9rem',
                  render: (_: unknown, each: TestCase) => (
                    <Space>
                      <Button
                        type="text"
                        size="small"
                        aria-label={words.editCase(each.name)}
                        onClick={() => onEdit(each)}
                      >
                        {words.edit}
                      </Button>
                      <DeleteButton
                        text={shared.delete}
                        label={words.deleteCase(each.name)}
                        question={words.deleteCaseQuestion}
                        lost={words.deleteCaseLost}
                        done={words.deletedCase}
                        remove={() =>
                          call('POST /api/v1/test/deleteCase', { body: { id: set.id, case_id: each.id } })
                        }
                        onRemoved={refresh}
                      />
                    </Space>
                  ),
                },
              ]
            : []),
        ]}
      />
    </WideTable>
  )
}
