import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { CallData } from '../../api/operations.ts'
import { useAll } from '../../api/use-all.ts'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import type { StoredFile } from './use-files.ts'

const useWords = defineWords(
  {
    about:
      'Knowledge bases use these files. If you delete them anyway, their documents are removed from these knowledge bases too:',
    in: 'in',
  },
  { about: '知识库正在使用这些文件。如果仍要删除，对应的文档也会从这些知识库中移除：', in: '用于' },
)

interface FilesInUseProps {
  uses: CallData<'POST /api/v1/files/delete'>['in_use']
  files: StoredFile[]
}

/** A dialog stands outside of the page, so it is handed the page's queries. */
export function FilesInUse({ queries, ...props }: FilesInUseProps & { queries: QueryClient }) {
  return (
    <QueryClientProvider client={queries}>
      <UseList {...props} />
    </QueryClientProvider>
  )
}

function UseList({ uses, files }: FilesInUseProps) {
  const words = useWords()
  const bases = useAll('POST /api/v1/knowledge')
  const fileName = (id: string): string => files.find(file => file.file_id === id)?.name ?? id
  const baseName = (id: string): string => bases.data?.find(base => base.knowledge_id === id)?.name ?? id
  return (
    <>
      <p>{words.about}</p>
      <ul className="files-in-use">
        {uses.map(({ file_id, knowledge_ids }) => (
          <li key={file_id}>
            <strong>{fileName(file_id)}</strong> {words.in}{' '}
            {knowledge_ids.map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <a href={pathTo('knowledge', id)} target="_blank" rel="noreferrer">
                  {baseName(id)}
                </a>
              </span>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}
