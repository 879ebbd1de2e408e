import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { defineWords } from '../ui/words.ts'

const useWords = defineWords(
  {
    title: 'Page not found',
    about: 'The link may be wrong, or the item may have been deleted.',
    home: 'Go to overview',
  },
  { title: '页面不存在', about: '链接可能有误，或对应的内容已被删除。', home: '回到概览' },
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
