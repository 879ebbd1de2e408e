import { ByteSize } from '../../ui/byte-size.tsx'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { DocumentState } from './document-state.tsx'
import { FailureOfDocument } from './failure-of-document.tsx'
import { kindOfFile } from './kind-of-file.ts'
import { MetadataTags } from './metadata-tags.tsx'
import type { KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  { added: 'Added', chunks: (count: number) => (count === 1 ? '1 passage' : `${count} passages`) },
  { added: '添加于', chunks: (count: number) => `${count} 个段落` },
)

/** What is known of a document, in one line. */
export function DocumentAbout({ document }: { document: KnowledgeDocument }) {
  const words = useWords()
  return (
    <div className="kb-document-about">
      <DocumentState document={document} />
      <span className="soft">{kindOfFile(document.name, document.mime_type)}</span>
      <span className="soft">
        <ByteSize bytes={document.size} />
      </span>
      <span className="soft">{words.chunks(document.chunk_count)}</span>
      <span className="soft">
        {words.added} <When time={document.created_at} />
      </span>
      <MetadataTags metadata={document.metadata} />
      <FailureOfDocument document={document} />
    </div>
  )
}
