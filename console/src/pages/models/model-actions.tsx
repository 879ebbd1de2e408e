import { useMutation } from '@tanstack/react-query'
import { App, Button, Popconfirm } from 'antd'
import { call } from '../../api/call.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import type { Tested } from './model-test-result.tsx'
import { useModelWords } from './model-words.ts'
import { type Model, useRefreshModels } from './use-models.ts'

interface ModelActionsProps {
  model: Model
  onEdit: () => void
  onTested: (tested: Tested | undefined) => void
}

function useModelActions({ model, onTested }: ModelActionsProps) {
  const words = useModelWords()
  const { message } = App.useApp()
  const refresh = useRefreshModels()
  const onError = useTellFailure()
  const body = { id: model.id }
  const test = useMutation({
    mutationFn: () => call('POST /api/v1/model/test', { body }),
    onMutate: () => onTested(undefined),
    onSuccess: onTested,
    onError,
  })
  const makeDefault = useMutation({
    mutationFn: () => call('POST /api/v1/model/update', { body: { ...body, is_default: true } }),
    onSuccess: () => {
      message.success(words.madeDefault(model.name))
      return refresh()
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: () => call('POST /api/v1/model/delete', { body }),
    onSuccess: () => {
      message.success(words.deleted(model.name))
      return refresh()
    },
    onError,
  })
  return { test, makeDefault, remove }
}

/** The model of the server's settings can only be tried. */
export function ModelActions(props: ModelActionsProps) {
  const { model, onEdit } = props
  const words = useModelWords()
  const { test, makeDefault, remove } = useModelActions(props)
  const isOwn = model.source === 'workspace'
  return (
    <div className="model-card-actions">
      <Button
        type="text"
        size="small"
        loading={test.isPending}
        aria-label={words.testNamed(model.name)}
        onClick={() => test.mutate()}
      >
        {test.isPending ? words.testing : words.test}
      </Button>
      {isOwn && (
        <Button type="text" size="small" aria-label={words.editNamed(model.name)} onClick={onEdit}>
          {words.edit}
        </Button>
      )}
      {isOwn && !model.is_default && (
        <Button
          type="text"
          size="small"
          loading={makeDefault.isPending}
          aria-label={words.makeDefaultNamed(model.name)}
          onClick={() => makeDefault.mutate()}
        >
          {words.makeDefault}
        </Button>
      )}
      {isOwn && (
        <Popconfirm
          title={words.deleteSure}
          description={words.deleteLost}
          okText={words.delete}
          okButtonProps={{ danger: true }}
          onConfirm={() => remove.mutateAsync().catch(() => undefined)}
        >
          <Button type="text" size="small" danger aria-label={words.deleteNamed(model.name)}>
            {words.delete}
          </Button>
        </Popconfirm>
      )}
    </div>
  )
}
