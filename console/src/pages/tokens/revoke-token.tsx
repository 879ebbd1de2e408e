import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Popconfirm } from 'antd'
import { call } from '../../api/call.ts'
import { signOut } from '../../api/token.ts'
import { allKey } from '../../api/use-all.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import type { Token } from './token.ts'
import { useTokenWords } from './token-words.ts'

export function RevokeToken({ token, isOwn }: { token: Token; isOwn: boolean }) {
  const words = useTokenWords()
  const queries = useQueryClient()
  const { message } = App.useApp()
  const revoke = useMutation({
    mutationFn: () => call('POST /api/v1/token/delete', { body: { id: token.id } }),
    onSuccess: async () => {
      message.success(words.revoked(token.name))
      if (isOwn) signOut()
      else await queries.invalidateQueries({ queryKey: allKey('POST /api/v1/token/list') })
    },
    onError: useTellFailure(),
  })
  return (
    <Popconfirm
      title={isOwn ? words.revokeOwnSure : words.revokeSure}
      description={isOwn ? words.revokeOwnLost : words.revokeLost}
      okText={words.revoke}
      okButtonProps={{ danger: true }}
      onConfirm={() => revoke.mutateAsync().catch(() => undefined)}
    >
      <Button type="text" danger size="small" aria-label={words.revokeNamed(token.name)}>
        {words.revoke}
      </Button>
    </Popconfirm>
  )
}
