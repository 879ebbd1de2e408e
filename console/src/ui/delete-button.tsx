import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { Confirm } from './confirm.tsx'
import { useFailureToast } from './failure.tsx'

interface DeleteButtonProps {
  /** Text of the button, and of the button that confirms. */
  text: string
  /** Label with the name of the item, for screen readers. */
  label: string
  question: string
  /** The consequence of deleting. */
  lost: string
  done: string
  remove(): Promise<unknown>
  onRemoved(): unknown
}

/** Deletes or revokes an item of a list, after a question. */
export function DeleteButton({ text, label, question, lost, done, remove, onRemoved }: DeleteButtonProps) {
  const { message } = App.useApp()
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      message.success(done)
      return onRemoved()
    },
    onError: useFailureToast(),
  })
  return (
    <Confirm
      title={question}
      description={lost}
      okText={text}
      okButtonProps={{ danger: true }}
      onConfirm={() => removing.mutateAsync().catch(() => undefined)}
    >
      <Button type="text" danger size="small" aria-label={label}>
        {text}
      </Button>
    </Confirm>
  )
}
