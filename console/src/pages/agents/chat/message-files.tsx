import { DownloadOutlined, PlayCircleOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { call } from '../../../api/call.ts'
import { useFailureToast } from '../../../ui/failure.tsx'
import { FileImage, fileContent } from '../../../ui/file-image.tsx'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  {
    download: (name: string) => `Download ${name}`,
    play: (name: string) => `Play ${name}`,
    gone: 'This file is no longer available',
  },
  {
    download: (name: string) => `下载 ${name}`,
    play: (name: string) => `播放 ${name}`,
    gone: '文件已不存在',
  },
)

interface FileRecord {
  file_id: string
  name: string
  mime_type: string
}

/** The files of a message: images, audio and video inline, others as downloads. */
export function MessageFiles({ fileIds }: { fileIds: readonly string[] }) {
  const words = useWords()
  const { data, isSuccess } = useQuery({
    queryKey: ['message-files', ...fileIds],
    queryFn: async ({ signal }) =>
      (await call('POST /api/v1/files', { body: { file_ids: [...fileIds] }, signal })).items,
    enabled: fileIds.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (fileIds.length === 0) return null
  return (
    <div className="message-files">
      {fileIds.map(id => {
        const file = data?.find(({ file_id }) => file_id === id)
        if (file) return <MessageFile key={id} file={file} />
        return (
          isSuccess && (
            <span key={id} className="soft small">
              {words.gone}
            </span>
          )
        )
      })}
    </div>
  )
}

function MessageFile({ file }: { file: FileRecord }) {
  if (file.mime_type.startsWith('image/')) return <FileImage fileId={file.file_id} name={file.name} />
  if (/^(audio|video)\//.test(file.mime_type)) return <Recording file={file} />
  return <Download file={file} />
}

function Recording({ file }: { file: FileRecord }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const [isLoading, setIsLoading] = useState(false)
  const [address, setAddress] = useState<string>()
  useEffect(() => () => URL.revokeObjectURL(address ?? ''), [address])
  const load = async (): Promise<void> => {
    setIsLoading(true)
    try {
      setAddress(URL.createObjectURL(await fileContent(file.file_id)))
    } catch (error) {
      showFailure(error)
    } finally {
      setIsLoading(false)
    }
  }
  if (address !== undefined) {
    const Player = file.mime_type.startsWith('video/') ? 'video' : 'audio'
    return <Player controls autoPlay src={address} aria-label={file.name} />
  }
  return (
    <Button
      size="small"
      icon={<PlayCircleOutlined />}
      aria-label={words.play(file.name)}
      loading={isLoading}
      onClick={load}
    >
      {file.name}
    </Button>
  )
}

function Download({ file }: { file: FileRecord }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const download = async (): Promise<void> => {
    // Never opened in a tab: an HTML file would run with the console's origin.
    const content = new Blob([await fileContent(file.file_id)], { type: 'application/octet-stream' })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(content)
    link.download = file.name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  }
  return (
    <Button
      size="small"
      className="file-chip"
      icon={<DownloadOutlined />}
      aria-label={words.download(file.name)}
      title={file.name}
      onClick={() => download().catch(showFailure)}
    >
      <span>{file.name}</span>
    </Button>
  )
}
