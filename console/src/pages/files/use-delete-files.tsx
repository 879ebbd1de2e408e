import { type QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/queries.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { filesKey, type StoredFile } from './use-files.ts'

const useWords = defineWords(
  {
    title: (count: number) => (count === 1 ? 'Delete this file?' : `Delete ${count} files?`),
    lost: 'The content cannot be recovered. Files that a knowledge base uses are kept until you confirm again.',
    delete: 'Delete',
    cancel: 'Cancel',
    keep: 'Keep',
    deleted: (count: number) => (count === 1 ? '1 file deleted' : `${count} files deleted`),
    usedTitle: (count: number) =>
      count === 1 ? 'This file is in use and was kept' : `${count} files are in use and were kept`,
    force: 'Delete with documents',
  },
  {
    title: (count: number) => (count === 1 ? '删除这个文件？' : `删除 ${count} 个文件？`),
    lost: '内容将无法恢复。知识库正在使用的文件会保留，并再次询问你。',
    delete: '删除',
    cancel: '取消',
    keep: '保留',
    deleted: (count: number) => `已删除 ${count} 个文件`,
    usedTitle: (count: number) => `${count} 个文件正在使用，已保留`,
    force: '连同文档一起删除',
  },
)

type Deleted = CallData<'POST /api/v1/files/delete'>

/** Asks, deletes, and asks again before documents of knowledge bases are removed too. */
export function useDeleteFiles(onDeleted: (ids: string[]) => void): (files: StoredFile[]) => void {
  const words = useWords()
  const { modal, message } = App.useApp()
  const queries = useQueryClient()
  const showFailure = useFailureToast()

  const remove = async (ids: string[], force: boolean): Promise<Deleted | undefined> => {
    try {
      const answer = await call('POST /api/v1/files/delete', { body: { file_ids: ids, force } })
      if (answer.deleted.length > 0) message.success(words.deleted(answer.deleted.length))
      onDeleted([...answer.deleted, ...answer.missing])
      await Promise.all([
        queries.invalidateQueries({ queryKey: filesKey }),
        queries.invalidateQueries({ queryKey: allKey('POST /api/v1/knowledge') }),
      ])
      return answer
    } catch (error) {
      showFailure(error)
      return undefined
    }
  }

  const askAgain = (uses: Deleted['in_use'], files: StoredFile[]): void => {
    modal.confirm({
      title: words.usedTitle(uses.length),
      content: <FilesInUse uses={uses} files={files} queries={queries} />,
      width: 520,
      okText: words.force,
      okButtonProps: { danger: true },
      cancelText: words.keep,
      onOk: () =>
        remove(
          uses.map(({ file_id }) => file_id),
          true,
        ),
    })
  }

  return files =>
    modal.confirm({
      title: words.title(files.length),
      content: (
        <>
          {files.length === 1 && <strong>{files[0]!.name}</strong>}
          <p>{words.lost}</p>
        </>
      ),
      okText: words.delete,
      okButtonProps: { danger: true },
      cancelText: words.cancel,
      onOk: async () => {
        const answer = await remove(
          files.map(({ file_id }) => file_id),
          false,
        )
        if (answer && answer.in_use.length > 0) askAgain(answer.in_use, files)
      },
    })
}

const useFilesInUseWords = defineWords(
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

/** The dialog is rendered outside of the page, so it needs the query client. */
function FilesInUse({ queries, ...props }: FilesInUseProps & { queries: QueryClient }) {
  return (
    <QueryClientProvider client={queries}>
      <UseList {...props} />
    </QueryClientProvider>
  )
}

function UseList({ uses, files }: FilesInUseProps) {
  const words = useFilesInUseWords()
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
