import { UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef } from 'react'
import { FileInput } from '../../ui/file-input.tsx'
import { useFileWords } from './file-words.ts'

/** Opens the browser's dialog for files. */
export function UploadButton({
  isPrimary = false,
  onFiles,
}: {
  isPrimary?: boolean
  onFiles: (files: File[]) => void
}) {
  const words = useFileWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} onFiles={onFiles} />
      <Button
        {...(isPrimary && { type: 'primary' })}
        icon={<UploadOutlined />}
        onClick={() => input.current?.click()}
      >
        {words.upload}
      </Button>
    </>
  )
}
