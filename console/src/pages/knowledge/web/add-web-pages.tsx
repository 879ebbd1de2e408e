import { useMutation } from '@tanstack/react-query'
import { App, Form, Input, Segmented } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { navigate, pathTo } from '../../../ui/router.ts'
import type { Metadata } from '../../../ui/uploads/upload-queue.ts'
import { defineWords } from '../../../ui/words.ts'
import { useRefreshKnowledge } from '../use-knowledge.ts'
import {
  type LimitFields,
  limitsOf,
  linesOf,
  RefreshFields,
  type ScheduleFields,
  SiteMapLimits,
  scheduleOf,
} from './web-page-fields.tsx'

const useWords = defineWords(
  {
    title: 'Add web pages',
    add: 'Add',
    cancel: 'Cancel',
    from: 'Add from',
    pages: 'By address',
    sitemap: 'From a site map',
    urls: 'Addresses',
    urlsHint: 'One per line, up to 100. Pages, or files such as PDF, Word and Markdown.',
    urlsNeeded: 'Enter at least one address',
    urlWrong: (line: string) => `Not a web address: ${line}`,
    tooMany: 'At most 100 addresses at a time',
    map: 'Address of the site map',
    mapHint: 'Usually /sitemap.xml. Adds the pages of the same host that robots.txt allows.',
    mapNeeded: 'Enter the address of the site map',
    done: (added: number, skipped: number) =>
      `${added === 1 ? '1 address' : `${added} addresses`} added${skipped > 0 ? `, ${skipped} already in this knowledge base` : ''}`,
  },
  {
    title: '添加网页',
    add: '添加',
    cancel: '取消',
    from: '添加方式',
    pages: '按地址',
    sitemap: '从站点地图',
    urls: '网页地址',
    urlsHint: '每行一个，最多 100 个。可以是网页，也可以是 PDF、Word、Markdown 等文件。',
    urlsNeeded: '请至少填写一个地址',
    urlWrong: (line: string) => `不是网页地址：${line}`,
    tooMany: '一次最多 100 个地址',
    map: '站点地图的地址',
    mapHint: '通常是 /sitemap.xml。添加同一网站中 robots.txt 允许抓取的网页。',
    mapNeeded: '请填写站点地图的地址',
    done: (added: number, skipped: number) =>
      `已添加 ${added} 个地址${skipped > 0 ? `，另有 ${skipped} 个已在知识库中` : ''}`,
  },
)

interface Fields extends LimitFields, ScheduleFields {
  urls?: string
  map?: string
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)

const bodyOf = (fields: Fields, metadata: Metadata) => ({
  ...(fields.map === undefined
    ? { urls: linesOf(fields.urls) }
    : { sitemap: { url: fields.map.trim(), ...limitsOf(fields) } }),
  ...scheduleOf(fields),
  ...(Object.keys(metadata).length > 0 && { metadata }),
})

interface AddWebPagesProps {
  knowledgeId: string
  metadata: Metadata
  open: boolean
  onClose: () => void
}

/** Adds web pages by their addresses, or all pages of a site map. */
export function AddWebPages({ knowledgeId, metadata, open, onClose }: AddWebPagesProps) {
  const words = useWords()
  const { message } = App.useApp()
  const refreshLists = useRefreshKnowledge()
  const [form] = Form.useForm<Fields>()
  const [from, setFrom] = useState<'pages' | 'sitemap'>('pages')
  const add = useMutation({
    mutationFn: (fields: Fields) =>
      call('POST /api/v1/knowledge/{knowledge_id}/pages/create', {
        params: { knowledge_id: knowledgeId },
        body: bodyOf(fields, metadata),
      }),
    onSuccess: ({ items, skipped }) => {
      message.success(words.done(items.length, skipped.length))
      onClose()
      void refreshLists(knowledgeId)
      navigate(pathTo('knowledge', knowledgeId, 'pages'))
    },
  })
  const checkUrls = async (_: unknown, text: string | undefined): Promise<void> => {
    const lines = linesOf(text)
    const wrong = lines.find(line => !isAddress(line))
    if (lines.length === 0) throw new Error(words.urlsNeeded)
    if (wrong !== undefined) throw new Error(words.urlWrong(wrong))
    if (lines.length > 100) throw new Error(words.tooMany)
  }
  return (
    <Dialog
      open={open}
      title={words.title}
      okText={words.add}
      okButtonProps={{ loading: add.isPending, htmlType: 'submit', form: 'add-web-pages' }}
      cancelText={words.cancel}
      onCancel={onClose}
      afterClose={() => add.reset()}
      destroyOnHidden
      width={620}
    >
      <Form<Fields>
        form={form}
        name="add-web-pages"
        layout="vertical"
        requiredMark={false}
        preserve={false}
        initialValues={{ refresh: 'off', max: 100 }}
        onFinish={fields => add.mutate(fields)}
      >
        <Segmented<'pages' | 'sitemap'>
          className="kb-web-from"
          aria-label={words.from}
          value={from}
          onChange={setFrom}
          options={[
            { value: 'pages', label: words.pages },
            { value: 'sitemap', label: words.sitemap },
          ]}
        />
        {from === 'pages' ? (
          <Form.Item name="urls" label={words.urls} extra={words.urlsHint} rules={[{ validator: checkUrls }]}>
            <Input.TextArea
              autoSize={{ minRows: 4, maxRows: 12 }}
              placeholder="https://example.com/"
              autoFocus
              spellCheck={false}
            />
          </Form.Item>
        ) : (
          <>
            <Form.Item
              name="map"
              label={words.map}
              extra={words.mapHint}
              rules={[
                {
                  validator: async (_, text: string | undefined) => {
                    if (!isAddress(text?.trim() ?? '')) throw new Error(words.mapNeeded)
                  },
                },
              ]}
            >
              <Input
                placeholder="https://example.com/sitemap.xml"
                autoFocus
                autoComplete="off"
                maxLength={2000}
              />
            </Form.Item>
            <SiteMapLimits />
          </>
        )}
        <RefreshFields />
      </Form>
      {add.isError && <Failure error={add.error} />}
    </Dialog>
  )
}
