import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { defineWords } from '../ui/words.ts'

const useWords = defineWords(
  {
    title: 'Nothing here',
    about: 'This address leads nowhere. What it led to may have been deleted.',
    home: 'To the overview',
  },
  { title: '这里什么也没有', about: '这个地址没有内容，它指向的对象可能已被删除。', home: '回到概览' },
)

export function NotFoundPage() {
  const words = useWords()
  return (
    <Page title={words.title}>
      <EmptyState title={words.title} actions={<a href="#/">{words.home}</a>}>
        {words.about}
      </EmptyState>
    </Page>
  )
}
