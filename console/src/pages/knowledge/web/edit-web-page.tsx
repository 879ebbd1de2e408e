import { Form } from 'antd'
import { Dialog } from '../../../ui/dialog.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { defineWords } from '../../../ui/words.ts'
import { useWebPageActions, type WebPage } from './use-web-pages.ts'
import {
  fieldsOf,
  type LimitFields,
  limitsOf,
  RefreshFields,
  type ScheduleFields,
  SiteMapLimits,
  scheduleOf,
} from './web-page-fields.tsx'

const useWords = defineWords(
  {
    page: 'Web page settings',
    map: 'Site map settings',
    mapHint: 'New limits take effect at the next refresh. Pages already added are kept.',
    save: 'Save',
    cancel: 'Cancel',
  },
  {
    page: '网页设置',
    map: '站点地图设置',
    mapHint: '新的限制在下次刷新时生效，已添加的网页会保留。',
    save: '保存',
    cancel: '取消',
  },
)

interface EditWebPageProps {
  knowledgeId: string
  page: WebPage
  open: boolean
  onClose: () => void
}

/** The schedule of a page, and the limits of a site map. */
export function EditWebPage({ knowledgeId, page, open, onClose }: EditWebPageProps) {
  const words = useWords()
  const { update } = useWebPageActions(knowledgeId, page.page_id, { isQuiet: true })
  const name = `edit-${page.page_id}`
  const save = (fields: LimitFields & ScheduleFields): void =>
    update.mutate(
      { ...scheduleOf(fields), ...(page.sitemap && { sitemap: limitsOf(fields) }) },
      { onSuccess: onClose },
    )
  return (
    <Dialog
      open={open}
      title={page.sitemap ? words.map : words.page}
      okText={words.save}
      okButtonProps={{ loading: update.isPending, htmlType: 'submit', form: name }}
      cancelText={words.cancel}
      onCancel={onClose}
      afterClose={() => update.reset()}
      destroyOnHidden
      width={620}
    >
      <p>
        <PageLink url={page.url} />
      </p>
      <Form<LimitFields & ScheduleFields>
        name={name}
        layout="vertical"
        requiredMark={false}
        preserve={false}
        initialValues={fieldsOf(page)}
        onFinish={save}
      >
        {page.sitemap && (
          <>
            <SiteMapLimits />
            <p className="soft">{words.mapHint}</p>
          </>
        )}
        <RefreshFields />
      </Form>
      {update.isError && <Failure error={update.error} />}
    </Dialog>
  )
}
