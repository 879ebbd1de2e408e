import { FileAddOutlined, FolderOpenOutlined, InboxOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { FileInput } from '../../ui/file-input.tsx'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { defineWords } from '../../ui/words.ts'
import { droppedFiles, type NamedFile, pickedFiles } from './dropped-files.ts'

const useWords = defineWords(
  {
    title: 'Drop files or folders here',
    about:
      'PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, Markdown, text, HTML, CSV, JSON and source code',
    files: 'Choose files',
    folder: 'Choose a folder',
    pickFiles: 'Files to add',
    pickFolder: 'Folder to add',
  },
  {
    title: '把文件或文件夹拖到这里',
    about:
      '支持 PDF、Word、Excel、PowerPoint、OpenDocument、EPUB、Markdown、纯文本、HTML、CSV、JSON 与源代码',
    files: '选择文件',
    folder: '选择文件夹',
    pickFiles: '要添加的文件',
    pickFolder: '要添加的文件夹',
  },
)

interface DropZoneProps {
  onFiles: (files: NamedFile[]) => void
  /** More ways to add something. */
  children?: ReactNode
  isLarge: boolean
}

/** Takes files and folders, as many as there are. */
export function DropZone({ onFiles, children, isLarge }: DropZoneProps) {
  const words = useWords()
  const tell = useTellFailure()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsOver(false)
    droppedFiles(event.dataTransfer).then(onFiles, tell)
  }
  const take = (chosen: File[]): void => onFiles(pickedFiles(chosen))
  return (
    <section
      className={`kb-drop-zone${isLarge ? ' large' : ''}${isOver ? ' over' : ''}`}
      aria-label={words.title}
      onDragOver={event => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
      }}
      onDrop={drop}
    >
      <InboxOutlined className="kb-drop-zone-icon" aria-hidden />
      <div className="kb-drop-zone-words">
        <strong>{words.title}</strong>
        <span className="soft small">{words.about}</span>
      </div>
      <div className="kb-drop-zone-buttons">
        <Button icon={<FileAddOutlined aria-hidden />} onClick={() => files.current?.click()}>
          {words.files}
        </Button>
        <Button icon={<FolderOpenOutlined aria-hidden />} onClick={() => folder.current?.click()}>
          {words.folder}
        </Button>
        {children}
      </div>
      <FileInput ref={files} label={words.pickFiles} onFiles={take} />
      <FileInput ref={folder} label={words.pickFolder} isFolder onFiles={take} />
    </section>
  )
}
