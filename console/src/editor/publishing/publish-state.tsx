import { Tooltip } from 'antd'
import { Badge } from '../../ui/badge.tsx'
import { defineWords } from '../../ui/words.ts'
import { useIsPublished } from './publish-dialog.tsx'
import { usePublication } from './use-publication.ts'
import './publishing.css'

const useWords = defineWords(
  {
    never: 'Not published',
    published: (version: number) => `Published: version ${version}`,
    draft: (version: number) => `Draft · published: version ${version}`,
    neverAbout: 'Every saved change takes effect at once. Click to publish.',
    publishedAbout: 'What you see is what runs. Click for details.',
    draftAbout: 'Your changes take effect once you publish them. Click for details.',
  },
  {
    never: '未发布',
    published: (version: number) => `已发布：版本 ${version}`,
    draft: (version: number) => `草稿 · 已发布：版本 ${version}`,
    neverAbout: '每次保存的修改都会立即生效。点击发布。',
    publishedAbout: '当前内容就是正在运行的版本。点击查看详情。',
    draftAbout: '修改在发布后才会生效。点击查看详情。',
  },
)

/** Shows whether the edited graph is the one that runs. */
export function PublishState({ hasHint, onOpen }: { hasHint: boolean; onOpen(): void }) {
  const words = useWords()
  const publication = usePublication()
  const isPublished = useIsPublished(publication)
  const { version } = publication
  const [tone, text, about] =
    version === null
      ? (['plain', words.never, words.neverAbout] as const)
      : isPublished
        ? (['good', words.published(version), words.publishedAbout] as const)
        : (['warning', words.draft(version), words.draftAbout] as const)
  return (
    <Tooltip title={hasHint ? about : undefined}>
      <button type="button" className="publish-state" onClick={onOpen}>
        <Badge tone={tone}>{text}</Badge>
      </button>
    </Tooltip>
  )
}
