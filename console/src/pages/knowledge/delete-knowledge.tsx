import { useMutation, useQuery } from '@tanstack/react-query'
import { App } from 'antd'
import { call } from '../../api/call.ts'
import { UserList } from '../../editor/publishing/used-by.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { defineWords } from '../../ui/words.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    title: (name: string) => `Delete “${name}”?`,
    lost: (documents: number, chunks: number) =>
      `Its index will be deleted: ${documents === 1 ? '1 document' : `${documents} documents`}, ${chunks === 1 ? '1 passage' : `${chunks} passages`} and all edits made to them. This cannot be undone.`,
    kept: 'The uploaded files are kept under Files.',
    used: 'It is in use. These agents will find nothing in it, and steps of these workflows that search it will fail:',
    remove: 'Delete knowledge base',
    cancel: 'Cancel',
    done: (name: string) => `Deleted “${name}”.`,
  },
  {
    title: (name: string) => `删除“${name}”？`,
    lost: (documents: number, chunks: number) =>
      `它的索引将被删除：${documents} 个文档、${chunks} 个段落，以及对段落所做的全部修改。此操作无法撤销。`,
    kept: '上传的文件会保留在“文件”中。',
    used: '它正在被使用。删除后，下列智能体将查不到其中的内容，下列工作流中检索它的步骤会失败：',
    remove: '删除知识库',
    cancel: '取消',
    done: (name: string) => `已删除“${name}”。`,
  },
)

interface DeleteKnowledgeProps {
  base: KnowledgeBase
  open: boolean
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteKnowledge({ base, open, onClose, onDeleted }: DeleteKnowledgeProps) {
  const words = useWords()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const refresh = useRefreshKnowledge()
  const params = { knowledge_id: base.knowledge_id }
  const users = useQuery({
    queryKey: ['knowledge-used-by', base.knowledge_id],
    queryFn: ({ signal }) => call('GET /api/v1/knowledge/{knowledge_id}/used_by', { params, signal }),
    staleTime: 0,
    enabled: open,
  })
  const remove = useMutation({
    mutationFn: () => call('POST /api/v1/knowledge/{knowledge_id}/delete', { params }),
    onSuccess: async () => {
      message.success(words.done(base.name))
      onClose()
      onDeleted?.()
      await refresh()
    },
    onError: showFailure,
  })
  return (
    <Dialog
      open={open}
      title={words.title(base.name)}
      okText={words.remove}
      okButtonProps={{ danger: true, loading: remove.isPending }}
      cancelText={words.cancel}
      onOk={() => remove.mutate()}
      onCancel={onClose}
      destroyOnHidden
    >
      <p>{words.lost(base.document_count, base.chunk_count)}</p>
      <p className="soft">{words.kept}</p>
      {users.isPending && <Loading />}
      {users.isError && <QueryFailure query={users} />}
      {users.data && users.data.items.length > 0 && (
        <>
          <p>{words.used}</p>
          <UserList users={users.data.items} />
        </>
      )}
    </Dialog>
  )
}
