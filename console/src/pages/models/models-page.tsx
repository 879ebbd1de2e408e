import { PlusOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-props.ts'
import { ModelCard } from './model-card.tsx'
import { ModelDialog } from './model-dialog.tsx'
import { useModelWords } from './model-words.ts'
import { type Model, useModels } from './use-models.ts'
import './models-page.css'

export function ModelsPage(_: PageProps) {
  const words = useModelWords()
  const may = useMay()
  const models = useModels()
  const [edited, setEdited] = useState<Model | 'new'>()
  const add = (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  )
  return (
    <Page title={words.title} about={words.about} actions={may.administer ? add : undefined}>
      {models.isError && <Failure error={models.error} onRetry={models.refetch} />}
      {models.isPending && <Loading />}
      {!may.administer && models.data && <Alert type="info" showIcon title={words.onlyAdmins} />}
      {models.data?.length === 0 && (
        <EmptyState title={words.emptyTitle} actions={may.administer ? add : undefined}>
          {may.administer ? words.emptyAdmin : words.emptyOther}
        </EmptyState>
      )}
      <ul className="model-cards">
        {models.data?.map(model => (
          <li key={model.id}>
            <ModelCard model={model} onEdit={() => setEdited(model)} />
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <ModelDialog model={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  )
}
