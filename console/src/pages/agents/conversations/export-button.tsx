import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { saveConversations } from '../../../api/save-file.ts'
import { ActionMenu } from '../../../ui/action-menu.tsx'
import { useFailureToast } from '../../../ui/failure.tsx'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  { export: 'Export', csv: 'CSV (Excel)', jsonl: 'JSON lines', markdown: 'Markdown', json: 'JSON' },
  { export: '导出', csv: 'CSV（Excel）', jsonl: 'JSON Lines', markdown: 'Markdown', json: 'JSON' },
)

type Export = Parameters<typeof saveConversations>[0]

interface ExportButtonProps {
  formats: readonly Export['format'][]
  /** Selects the conversations to export. */
  filter: Omit<Export, 'format'>
  fileName: string
}

/** Saves conversations as a file of one of the formats. */
export function ExportButton({ formats, filter, fileName }: ExportButtonProps) {
  const words = useWords()
  const onError = useFailureToast()
  const save = useMutation({
    mutationFn: (format: Export['format']) => saveConversations({ ...filter, format }, fileName),
    onError,
  })
  const items = formats.map(key => ({ key, label: words[key], onClick: () => save.mutate(key) }))
  return (
    <ActionMenu menu={{ items }}>
      <Button icon={<DownloadOutlined aria-hidden />} loading={save.isPending}>
        {words.export}
      </Button>
    </ActionMenu>
  )
}
