import { InboxOutlined } from '@ant-design/icons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Input, Select, Upload } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { importNoteText } from '../../ui/server-texts/import-note-texts.ts'
import { joinSentences } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { foreignDataSets } from './foreign-data-sets.ts'

const useWords = defineWords(
  {
    title: 'Import a workflow',
    drop: 'Drop an exported workflow or a Dify app (YAML) here, or click to choose one',
    paste: 'Or paste the content of the file',
    go: 'Import',
    knowledge: 'Knowledge bases',
    knowledgeAbout: 'The app searches these data sets. Choose the knowledge bases to search instead.',
    dataSet: (id: string) => `Knowledge base for ${id}`,
    later: 'Choose later',
    doneTitle: 'Imported',
    ready: 'The workflow can run.',
    blocked: (count: number) =>
      count === 1
        ? 'One node must be replaced or completed before the workflow can run.'
        : `${count} nodes must be replaced or completed before the workflow can run.`,
    same: (count: number, all: number) => `${count} of ${all} nodes are unchanged.`,
    agent: 'Open the agent',
    workflow: 'Open the workflow',
    close: 'Close',
    mapped: 'Same',
    changed: 'Changed',
    unmapped: 'Not imported',
    app: 'App',
  },
  {
    title: '导入工作流',
    drop: '把导出的工作流或 Dify 应用（YAML）拖到这里，或点击选择',
    paste: '或粘贴文件内容',
    go: '导入',
    knowledge: '知识库',
    knowledgeAbout: '应用会检索以下数据集，请选择用哪个知识库代替。',
    dataSet: (id: string) => `${id} 对应的知识库`,
    later: '以后再选',
    doneTitle: '导入完成',
    ready: '工作流可以运行。',
    blocked: (count: number) => `有 ${count} 个节点需要替换或补全，之后工作流才能运行。`,
    same: (count: number, all: number) => `${all} 个节点中有 ${count} 个与原应用一致。`,
    agent: '打开智能体',
    workflow: '打开工作流',
    close: '关闭',
    mapped: '一致',
    changed: '有差异',
    unmapped: '未能导入',
    app: '应用',
  },
)

type Imported = CallData<'POST /api/v1/workflow/import'>
type ReportLine = Imported['report'][number]

interface ImportDialogProps {
  open: boolean
  /** The text to import, which may come from a file that was dropped on the page. */
  content: string
  onContent(content: string): void
  onClose(): void
}

/** Imports a file, and shows how every node of a foreign app was converted. */
export function ImportDialog({ open, content, onContent, onClose }: ImportDialogProps) {
  const words = useWords()
  const queries = useQueryClient()
  const [knowledge, setKnowledge] = useState<Record<string, string>>({})
  const close = (): void => {
    onContent('')
    setKnowledge({})
    importing.reset()
    onClose()
  }
  const importing = useMutation({
    mutationFn: () => call('POST /api/v1/workflow/import', { body: { content, knowledge } }),
    onSuccess: async ({ id, report }) => {
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      await queries.invalidateQueries({ queryKey: ['agents'] })
      if (report.length > 0) return
      close()
      navigate(pathTo('workflows', id))
    },
  })
  const dataSets = foreignDataSets(content)
  const imported = importing.data
  if (imported && imported.report.length > 0)
    return <ImportReport open={open} imported={imported} onClose={close} />
  return (
    <Dialog
      open={open}
      title={words.title}
      okText={words.go}
      okButtonProps={{ disabled: content.trim() === '' }}
      confirmLoading={importing.isPending}
      onOk={() => importing.mutate()}
      onCancel={close}
    >
      <div className="import-form">
        <Upload.Dragger
          accept=".json,.yml,.yaml"
          showUploadList={false}
          beforeUpload={async file => {
            onContent(await file.text())
            return Upload.LIST_IGNORE
          }}
        >
          <p className="import-icon">
            <InboxOutlined />
          </p>
          <p>{words.drop}</p>
        </Upload.Dragger>
        <Input.TextArea
          aria-label={words.paste}
          placeholder={words.paste}
          rows={6}
          value={content}
          onChange={event => onContent(event.target.value)}
        />
        {dataSets.length > 0 && (
          <KnowledgeChoice dataSets={dataSets} chosen={knowledge} onChoose={setKnowledge} />
        )}
        {importing.isError && <Failure error={importing.error} />}
      </div>
    </Dialog>
  )
}

interface KnowledgeChoiceProps {
  dataSets: readonly string[]
  chosen: Record<string, string>
  onChoose(chosen: Record<string, string>): void
}

function KnowledgeChoice({ dataSets, chosen, onChoose }: KnowledgeChoiceProps) {
  const words = useWords()
  const bases = useQuery({
    queryKey: ['knowledge', 'import'],
    queryFn: ({ signal }) => call('POST /api/v1/knowledge', { body: { page_size: 100 }, signal }),
  })
  const options = bases.data?.items.map(each => ({ value: each.knowledge_id, label: each.name })) ?? []
  const choose = (dataSet: string, base: string | undefined): void => {
    const { [dataSet]: _, ...others } = chosen
    onChoose(base === undefined ? others : { ...others, [dataSet]: base })
  }
  return (
    <fieldset className="import-knowledge">
      <legend>{words.knowledge}</legend>
      <p className="soft small">{words.knowledgeAbout}</p>
      {dataSets.map(dataSet => (
        <div key={dataSet}>
          <code className="small">{dataSet}</code>
          <Select
            aria-label={words.dataSet(dataSet)}
            allowClear
            placeholder={words.later}
            loading={bases.isPending}
            options={options}
            value={chosen[dataSet]}
            onChange={base => choose(dataSet, base)}
          />
        </div>
      ))}
    </fieldset>
  )
}

const tones: Readonly<Record<ReportLine['state'], Tone>> = {
  mapped: 'good',
  changed: 'warning',
  unmapped: 'bad',
}
/** The order of the report: lines that need attention come first. */
const order: readonly ReportLine['state'][] = ['unmapped', 'changed', 'mapped']

function ImportReport({ open, imported, onClose }: { open: boolean; imported: Imported; onClose(): void }) {
  const words = useWords()
  const language = useLanguage()
  const { id, agent_id: agentId, report, warnings } = imported
  // Several nodes that are left out may look the same.
  const lines = order
    .flatMap(state => report.filter(line => line.state === state))
    .map((line, place) => ({ ...line, key: `${place}` }))
  const nodes = report.filter(line => line.kind !== 'app')
  const same = nodes.filter(line => line.state === 'mapped').length
  const blocking = new Set(warnings.filter(each => each.blocking).map(({ path }) => nodeOf(path))).size
  const go = (path: string): void => {
    onClose()
    navigate(path)
  }
  return (
    <Dialog
      open={open}
      title={words.doneTitle}
      width={760}
      onCancel={onClose}
      footer={[
        <Button key="close" onClick={onClose}>
          {words.close}
        </Button>,
        agentId !== null && (
          <Button key="agent" onClick={() => go(pathTo('agents', agentId))}>
            {words.agent}
          </Button>
        ),
        <Button key="workflow" type="primary" onClick={() => go(pathTo('workflows', id))}>
          {words.workflow}
        </Button>,
      ]}
    >
      <p>
        {joinSentences([
          blocking === 0 ? words.ready : words.blocked(blocking),
          words.same(same, nodes.length),
        ])}
      </p>
      <ul className="import-report">
        {lines.map(line => (
          <li key={line.key}>
            <Badge tone={tones[line.state]}>{words[line.state]}</Badge>
            <span>
              <strong>{line.title || line.kind}</strong>{' '}
              <span className="soft small">{line.kind === 'app' ? words.app : line.kind}</span>
              {line.message !== '' && (
                <span className="import-message">{importNoteText(language, line)}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The part of a pointer that names the node. */
const nodeOf = (path: string): string => /^.*?\/nodes\/\d+/.exec(path)?.[0] ?? path
