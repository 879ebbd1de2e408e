import { Button } from 'antd'
import { useWorkflowNames } from '../../api/queries.ts'
import { TestSets } from '../../editor/tests/test-sets.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  { title: (name: string) => `Tests of ${name}`, editor: 'Open the workflow', back: 'Workflows' },
  { title: (name: string) => `${name} 的测试`, editor: '打开工作流', back: '工作流' },
)

/** The test sets of a workflow. */
export function WorkflowTestsPage({ id, setId }: { id: string; setId: string | undefined }) {
  const words = useWords()
  const name = useWorkflowNames()?.get(id) ?? id
  return (
    <Page
      title={words.title(name)}
      back={{ href: pathTo('workflows'), title: words.back }}
      actions={<Button href={pathTo('workflows', id)}>{words.editor}</Button>}
    >
      <TestSets subject={{ workflow_id: id }} path={['workflows', id, 'tests']} setId={setId} />
    </Page>
  )
}
