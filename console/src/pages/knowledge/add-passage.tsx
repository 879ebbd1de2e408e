import { PlusOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { useUnsavedInput } from '../../ui/use-unsaved-input.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkEditor } from './chunk-card.tsx'
import { useRefreshChunks } from './use-document.ts'

const useWords = defineWords(
  {
    add: 'Add a passage',
    text: 'Text of the new passage',
    about: 'It can be found at once, and stays when the document is re-processed.',
  },
  { add: '添加段落', text: '新段落的文本', about: '立即可以搜索到，重新处理文档时也会保留。' },
)

/** Adds a passage to a document by hand. */
export function AddPassage({ knowledgeId, fileId }: { knowledgeId: string; fileId: string }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const [text, keepText] = useUnsavedInput<string>(`new passage ${fileId}`)
  const [isOpen, setIsOpen] = useState(text !== undefined)
  const refresh = useRefreshChunks({ knowledgeId, fileId })
  const close = (): void => {
    keepText(undefined)
    setIsOpen(false)
  }
  const add = useMutation({
    mutationFn: (content: string) =>
      call('POST /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks/create', {
        params: { knowledge_id: knowledgeId, file_id: fileId },
        body: { content },
      }),
    onError: showFailure,
    onSuccess: async () => {
      await refresh()
      close()
    },
  })
  if (!isOpen)
    return (
      <Button className="kb-add-passage" icon={<PlusOutlined aria-hidden />} onClick={() => setIsOpen(true)}>
        {words.add}
      </Button>
    )
  return (
    <div className="kb-add-passage">
      <p className="soft">{words.about}</p>
      <ChunkEditor
        label={words.text}
        isManual
        content=""
        text={text ?? ''}
        onChange={next => keepText(next === '' ? undefined : next)}
        isSaving={add.isPending}
        onCancel={close}
        onSave={content => add.mutate(content)}
      />
    </div>
  )
}
