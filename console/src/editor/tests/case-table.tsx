import { call } from '../../api/call.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { RowButtons } from '../../ui/row-buttons.tsx'
import { defineWords } from '../../ui/words.ts'
import type { CaseDraft } from './case-dialog.tsx'
import { Expected } from './test-results.tsx'
import { type TestCase, type TestSet, useRefreshTests } from './test-set-data.ts'

const useWords = defineWords(
  {
    case: 'Case',
    expected: 'Expected',
    deleteCaseQuestion: 'Delete this case?',
    deleteCaseLost: 'Results of earlier test runs are kept.',
    deletedCase: 'The case was deleted.',
    noCases: 'No cases yet',
    noCasesAbout:
      'A case has a question and checks for the answer.  Add one by hand, import a file, or use “Add to test set” on a run.',
  },
  {
    case: '用例',
    expected: '期望',
    deleteCaseQuestion: '删除这个用例？',
    deleteCaseLost: '以前的测试结果会保留。',
    deletedCase: '用例已删除。',
    noCases: '还没有用例',
    noCasesAbout: '用例包括运行的问题和对回答的检查。可以手动添加、导入文件，或在运行页面点击“加入测试集”。',
  },
)

interface CaseTableProps {
  set: TestSet
  cases: readonly TestCase[]
  mayWrite: boolean
  onEdit(draft: CaseDraft): void
}

export function CaseTable({ set, cases, mayWrite, onEdit }: CaseTableProps) {
  const words = useWords()
  const refresh = useRefreshTests()
  if (cases.length === 0) return <EmptyState title={words.noCases}>{words.noCasesAbout}</EmptyState>
  return (
    <ListTable<TestCase>
      className="test-table"
      rowKey="id"
      dataSource={[...cases]}
      pagination={{ pageSize: 50 }}
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
              actionsColumn<TestCase>(
                each => (
                  <RowButtons
                    name={each.name}
                    onEdit={() => onEdit(each)}
                    question={words.deleteCaseQuestion}
                    lost={words.deleteCaseLost}
                    done={words.deletedCase}
                    remove={() =>
                      call('POST /api/v1/test/deleteCase', { body: { id: set.id, case_id: each.id } })
                    }
                    onRemoved={refresh}
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
