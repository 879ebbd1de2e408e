import { FileSearchOutlined, StarOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { cutText } from '../../ui/cut-text.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { PassageText } from '../../ui/passage/passage-text.tsx'
import { pathTo } from '../../ui/router.ts'
import { openSource } from '../../ui/source/open-source.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkPlace } from './chunk-place.tsx'
import { MetadataTags } from './document-state.tsx'
import { QuestionDialog } from './golden/question-dialog.tsx'
import type { Found, KnowledgeBase } from './use-knowledge.ts'
import { withQuery } from './with-query.ts'

const useWords = defineWords(
  {
    score: 'Score',
    keyword: 'Keywords',
    semantic: 'Semantic',
    rerank: 'Rerank',
    rank: (rank: number) => `rank ${rank}`,
    noRank: 'not found',
    more: 'Show all',
    less: 'Show less',
    passage: (number: number) => `passage ${number}`,
    show: (place: number) => `Show result ${place} in the document`,
    golden: 'Add as golden question',
    goldenOne: (place: number) => `Add as golden question with result ${place}`,
  },
  {
    score: '得分',
    keyword: '关键词',
    semantic: '语义',
    rerank: '重排序',
    rank: (rank: number) => `第 ${rank} 名`,
    noRank: '未找到',
    more: '显示全部',
    less: '收起',
    passage: (number: number) => `段落 ${number}`,
    show: (place: number) => `在文档中显示第 ${place} 个结果`,
    golden: '加为标准问题',
    goldenOne: (place: number) => `以第 ${place} 个结果加为标准问题`,
  },
)

type Item = Found['items'][number]
type Ranks = NonNullable<Found['explanation']>['ranks'][number]

interface SearchResultProps {
  base: KnowledgeBase
  item: Item
  /** The question that was searched for. */
  question: string
  place: number
  ranks: Ranks | undefined
}

/** One found passage, with its source and scores. */
export function SearchResult({ base, item, question, place, ranks }: SearchResultProps) {
  const words = useWords()
  const may = useMay()
  const [isWhole, setIsWhole] = useState(false)
  const [isAdding, setIsAdding] = useState(false)
  const isLong = item.content.length > 700 || item.content.split('\n').length > 12
  const href = withQuery(pathTo('knowledge', base.knowledge_id, 'documents', item.file_id), {
    chunk: item.chunk_id,
    position: item.position,
  })
  const show = (): void =>
    openSource({
      knowledgeId: base.knowledge_id,
      fileId: item.file_id,
      fileName: item.file_name,
      chunkId: item.chunk_id,
      score: item.score,
      quote: item.content,
    })
  const rankOf = (rank: number | null | undefined): string | undefined => {
    if (rank === undefined) return undefined
    return rank === null ? words.noRank : words.rank(rank)
  }
  return (
    <li className="kb-result">
      <div>
        <div className="kb-result-head">
          <span className="soft kb-number">{place}</span>
          <a href={href}>{item.file_name}</a>
          <ChunkPlace chunk={item} />
          <span className="soft">{words.passage(item.position + 1)}</span>
          <Button
            type="text"
            size="small"
            icon={<FileSearchOutlined aria-hidden />}
            aria-label={words.show(place)}
            title={words.show(place)}
            onClick={show}
          />
          {may.write && (
            <Button
              type="text"
              size="small"
              icon={<StarOutlined aria-hidden />}
              aria-label={words.goldenOne(place)}
              title={words.golden}
              onClick={() => setIsAdding(true)}
            />
          )}
          {isAdding && (
            <QuestionDialog
              base={base}
              draft={{
                question: cutText(question, 500),
                documents: [{ file_id: item.file_id, name: item.file_name }],
                expected_text: '',
              }}
              onClose={() => setIsAdding(false)}
            />
          )}
        </div>
        <div className={`kb-chunk-text${isLong && !isWhole ? ' cut' : ''}`}>
          <PassageText text={item.content} headings={item.heading} marks={item.highlights} />
        </div>
        {isLong && (
          <Button type="link" size="small" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? words.less : words.more}
          </Button>
        )}
        {item.source_url !== null && <PageLink url={item.source_url} />}
        <MetadataTags metadata={item.metadata} />
      </div>
      <div className="kb-result-scores">
        <ScoreBar label={words.score} score={item.score} isMain />
        <ScoreBar label={words.keyword} score={item.scores.keyword} note={rankOf(ranks?.keyword)} />
        <ScoreBar label={words.semantic} score={item.scores.semantic} note={rankOf(ranks?.semantic)} />
        <ScoreBar label={words.rerank} score={item.scores.rerank} />
      </div>
    </li>
  )
}

interface ScoreBarProps {
  label: string
  /** Null if this search method was not used; then nothing is drawn, unless there is a note. */
  score: number | null
  note?: string | undefined
  isMain?: boolean
}

/** A score between 0 and 1, as a bar and a number. */
function ScoreBar({ label, score, note, isMain = false }: ScoreBarProps) {
  if (score === null) return null
  const share = Math.min(1, Math.max(0, score))
  return (
    <div className={`kb-score${isMain ? ' main' : ''}`}>
      <span>{label}</span>
      <span className="kb-number">{score.toFixed(3)}</span>
      <meter className="visually-hidden" min={0} max={1} value={share} aria-label={label} />
      <span className="kb-score-track" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {note !== undefined && <span className="soft small kb-score-note">{note}</span>}
    </div>
  )
}
