import { useMutation } from '@tanstack/react-query'
import { Collapse, Form } from 'antd'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkingFields, EmbeddingFields, NameFields, RetrievalFields } from './settings-fields.tsx'
import { patchOf, type SettingsForm, usualSettings, withFields } from './settings-form.ts'
import { useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    title: 'New knowledge base',
    create: 'Create',
    cancel: 'Cancel',
    advanced: 'Advanced',
    usual: 'The defaults suit most documents. You can change everything later.',
    chunking: 'Chunking',
    embedding: 'Semantic search',
    retrieval: 'Retrieval',
  },
  {
    title: '新建知识库',
    create: '创建',
    cancel: '取消',
    advanced: '高级设置',
    usual: '默认设置适合大多数文档，以后都可以更改。',
    chunking: '文档切分',
    embedding: '语义检索',
    retrieval: '检索设置',
  },
)

export function CreateKnowledge({ open, onClose }: { open: boolean; onClose: () => void }) {
  const words = useWords()
  const [form] = Form.useForm<SettingsForm>()
  const refresh = useRefreshKnowledge()
  const create = useMutation({
    mutationFn: (values: SettingsForm) =>
      call('POST /api/v1/knowledge/create', {
        body: { ...patchOf(values, usualSettings), name: values.name.trim() },
      }),
    onSuccess: made => {
      navigate(pathTo('knowledge', made.knowledge_id))
      void refresh()
    },
  })
  const advanced = (
    <>
      <p className="soft">{words.usual}</p>
      <h3 className="kb-fields-title">{words.chunking}</h3>
      <ChunkingFields />
      <h3 className="kb-fields-title">{words.embedding}</h3>
      <EmbeddingFields />
      <h3 className="kb-fields-title">{words.retrieval}</h3>
      <RetrievalFields withAuto />
    </>
  )
  return (
    <Dialog
      open={open}
      title={words.title}
      okText={words.create}
      okButtonProps={{ loading: create.isPending, htmlType: 'submit', form: 'new-knowledge' }}
      cancelText={words.cancel}
      onCancel={onClose}
      afterClose={() => create.reset()}
      destroyOnHidden
      width={600}
    >
      <Form
        form={form}
        name="new-knowledge"
        layout="vertical"
        preserve={false}
        initialValues={usualSettings}
        onFinish={() => create.mutate(withFields(usualSettings, form.getFieldsValue()))}
      >
        <NameFields autoFocus />
        <Collapse
          ghost
          className="kb-advanced"
          items={[{ key: 'advanced', label: words.advanced, children: advanced, forceRender: false }]}
        />
      </Form>
      {create.isError && <Failure error={create.error} />}
    </Dialog>
  )
}
