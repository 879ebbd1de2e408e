import { useMutation } from '@tanstack/react-query'
import { Button, Form, Input, Radio } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { type Gate, hasDraft, isActive, type Subject, type TestSet, useTestSets } from './test-set-data.ts'
import { TestSetView } from './test-set-view.tsx'
import { useTestWords } from './test-words.ts'
import './tests.css'

const useWords = defineWords(
  {
    create: 'New test set',
    name: 'Name',
    nameNeeded: 'Enter a name',
    cases: 'Cases',
    last: 'Last result',
    never: 'Not run yet',
    running: 'Running',
    empty: 'No test sets yet',
    about:
      'A test set contains questions with the answers you expect. Run it against the draft and the published version before you publish a change.',
    aboutAgent:
      'A test set contains questions with the answers you expect. Run it after every change to the agent.',
    gateAbout: 'Applies when you publish a version that has not passed all cases.',
  },
  {
    create: '新建测试集',
    name: '名称',
    nameNeeded: '请填写名称',
    cases: '用例',
    last: '最近结果',
    never: '还没有运行过',
    running: '运行中',
    empty: '还没有测试集',
    about: '测试集保存问题和期望的回答。发布修改之前，用它对比测试草稿和已发布版本。',
    aboutAgent: '测试集保存问题和期望的回答。每次修改智能体后运行一次。',
    gateAbout: '发布未通过全部用例的版本时如何处理。',
  },
)

interface TestSetsProps {
  subject: Subject
  /** The path of the list; a set is one segment below it. */
  path: readonly string[]
  setId: string | undefined
  /** Whether there is a draft beside the published version. */
  isVersioned?: boolean
}

/** The test sets of a workflow or an agent, or one of them. */
export function TestSets({ subject, path, setId, isVersioned = true }: TestSetsProps) {
  if (setId !== undefined)
    return <TestSetView key={setId} setId={setId} listHref={pathTo(...path)} isVersioned={isVersioned} />
  return <SetList subject={subject} path={path} />
}

function SetList({ subject, path }: Pick<TestSetsProps, 'subject' | 'path'>) {
  const words = useWords()
  const shared = useTestWords()
  const may = useMay()
  const [page, setPage] = useState(1)
  const [isCreating, setIsCreating] = useState(false)
  const sets = useTestSets(subject, page)
  if (sets.isLoadingError) return <QueryFailure query={sets} />
  if (!sets.data) return <Loading />
  const gates = { off: shared.gateOff, warn: shared.gateWarn, refuse: shared.gateRefuse }
  const about = hasDraft(subject) ? words.about : words.aboutAgent
  const create = may.write && (
    <Button type="primary" onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <>
      {sets.data.total === 0 ? (
        <EmptyState title={words.empty} actions={create}>
          {about}
        </EmptyState>
      ) : (
        <>
          <div className="test-bar">
            {create}
            <span className="soft">{about}</span>
          </div>
          <ListTable<TestSet>
            className="test-table"
            rowKey="id"
            dataSource={sets.data.items}
            pagination={{
              ...{ current: page, pageSize: sets.data.page_size, total: sets.data.total },
              onChange: setPage,
            }}
            columns={[
              { title: words.name, render: (_, { id, name }) => <a href={pathTo(...path, id)}>{name}</a> },
              { title: words.cases, dataIndex: 'case_count', align: 'right' },
              ...(hasDraft(subject)
                ? [
                    {
                      title: shared.gate,
                      key: 'gate',
                      render: (_: unknown, set: TestSet) => gates[set.gate],
                    },
                  ]
                : []),
              { title: words.last, render: (_, set) => <LastResult run={set.last_run} /> },
            ]}
          />
        </>
      )}
      {isCreating && <CreateDialog subject={subject} path={path} onClose={() => setIsCreating(false)} />}
    </>
  )
}

function LastResult({ run }: { run: TestSet['last_run'] }) {
  const words = useWords()
  const shared = useTestWords()
  if (run === null) return <span className="soft">{words.never}</span>
  if (isActive(run)) return <Badge tone="info">{words.running}</Badge>
  return (
    <>
      <Badge tone={run.passed === run.total ? 'good' : 'bad'}>{shared.passedOf(run.passed, run.total)}</Badge>{' '}
      <span className="soft small">
        <When time={run.created_at} />
      </span>
    </>
  )
}

interface Fields {
  name: string
  gate?: Gate
}

function CreateDialog({
  subject,
  path,
  onClose,
}: Pick<TestSetsProps, 'subject' | 'path'> & { onClose(): void }) {
  const words = useWords()
  const shared = useTestWords()
  const saving = useMutation({
    mutationFn: ({ name, gate = 'off' }: Fields) =>
      call('POST /api/v1/test/create', { body: { ...subject, name: name.trim(), gate } }),
    onSuccess: ({ id }) => {
      onClose()
      navigate(pathTo(...path, id))
    },
  })
  const names = { off: shared.gateOff, warn: shared.gateWarn, refuse: shared.gateRefuse }
  return (
    <FormDialog
      title={words.create}
      name="test-set"
      saving={saving}
      initial={{ name: '', gate: 'off' }}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input autoFocus autoComplete="off" maxLength={100} />
      </Form.Item>
      {hasDraft(subject) && (
        <Form.Item name="gate" label={shared.gate} extra={words.gateAbout}>
          <Radio.Group
            aria-label={shared.gate}
            options={(['off', 'warn', 'refuse'] as const).map(value => ({ value, label: names[value] }))}
          />
        </Form.Item>
      )}
    </FormDialog>
  )
}
