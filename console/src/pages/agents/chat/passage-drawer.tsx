import { Drawer } from 'antd'
import { pathTo } from '../../../ui/router.ts'
import { defineWords } from '../../../ui/words.ts'
import type { Citation } from './citation-marks.ts'

const useWords = defineWords(
  {
    title: (index: number) => `Source ${index}`,
    open: 'Open in document',
    score: (score: string) => `Score ${score}`,
  },
  {
    title: (index: number) => `来源 ${index}`,
    open: '在文档中查看',
    score: (score: string) => `得分 ${score}`,
  },
)

const placeOf = ({ knowledge_id, file_id, chunk_id }: Citation): string =>
  `${pathTo('knowledge', knowledge_id, 'documents', file_id)}?chunk=${encodeURIComponent(chunk_id)}`

/** The passage that an answer rests on, with the way to its document. */
export function PassageDrawer({
  citation,
  onClose,
}: {
  citation: Citation | undefined
  onClose: () => void
}) {
  const words = useWords()
  return (
    <Drawer
      open={citation !== undefined}
      onClose={onClose}
      size={460}
      title={citation && words.title(citation.index)}
      destroyOnHidden
    >
      {citation && (
        <article className="passage">
          <h3>{citation.file_name}</h3>
          {citation.heading !== undefined && citation.heading !== '' && (
            <p className="soft">{citation.heading}</p>
          )}
          <blockquote>{citation.content}</blockquote>
          <p className="passage-foot">
            {citation.score !== undefined && (
              <span className="soft small">{words.score(citation.score.toFixed(2))}</span>
            )}
            <a href={placeOf(citation)}>{words.open}</a>
          </p>
        </article>
      )}
    </Drawer>
  )
}
