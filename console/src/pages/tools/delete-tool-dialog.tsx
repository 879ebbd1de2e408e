import { useMutation, useQuery } from '@tanstack/react-query'
import { App } from 'antd'
import { call } from '../../api/call.ts'
import { UserList } from '../../editor/publishing/used-by.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { type SharedTool, useRefreshTools } from '../../ui/tools/use-tools.ts'
import { useToolWords } from './tool-words.ts'

/** Lists the users of a tool before it is deleted. */
export function DeleteToolDialog({ tool: { id, name }, onClose }: { tool: SharedTool; onClose(): void }) {
  const words = useToolWords()
  const { message } = App.useApp()
  const refresh = useRefreshTools()
  const users = useQuery({
    queryKey: ['tool-used-by', id],
    queryFn: ({ signal }) => call('GET /api/v1/tool/used_by', { query: { id }, signal }),
    staleTime: 0,
  })
  const isUsed = (users.data?.items.length ?? 0) > 0
  const remove = useMutation({
    mutationFn: () => call('POST /api/v1/tool/delete', { body: { id, force: isUsed } }),
    onSuccess: async () => {
      await refresh()
      message.success(words.deleted(name))
      onClose()
    },
  })
  return (
    <Dialog
      open
      title={words.deleteTitle(name)}
      okText={isUsed ? words.deleteAnyway : words.delete}
      cancelText={words.cancel}
      okButtonProps={{ danger: true, disabled: !users.data }}
      confirmLoading={remove.isPending}
      onOk={() => remove.mutate()}
      onCancel={onClose}
    >
      {users.isPending && <Loading />}
      {users.isError && <QueryFailure query={users} />}
      {remove.isError && <Failure error={remove.error} />}
      {users.data && <p>{isUsed ? words.deleteUsed : words.deleteUnused}</p>}
      {users.data && <UserList users={users.data.items} />}
    </Dialog>
  )
}
