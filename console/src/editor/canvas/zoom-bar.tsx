import { ExpandOutlined, FileAddOutlined, MinusOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useSyncExternalStore } from 'react'
import type { Camera } from './camera.ts'
import { useCanvasWords } from './canvas-words.ts'

interface ZoomBarProps {
  camera: Camera
  /** Undefined if the user may not edit. */
  onAddNote: (() => void) | undefined
}

/** Zoom, and a button for a new note. */
export function ZoomBar({ camera, onAddNote }: ZoomBarProps) {
  const words = useCanvasWords()
  const scale = useSyncExternalStore(camera.subscribe, () => camera.view().scale)
  const percent = Math.round(scale * 100)
  return (
    <div className="canvas-zoom">
      <Button
        type="text"
        size="small"
        icon={<MinusOutlined />}
        aria-label={words.zoomOut}
        title={words.zoomOut}
        onClick={() => camera.zoomTo(camera.view().scale / 1.25)}
      />
      <Button
        type="text"
        size="small"
        aria-label={words.zoom(percent)}
        title={words.zoom(percent)}
        onClick={() => camera.zoomTo(1)}
      >
        {`${percent}%`}
      </Button>
      <Button
        type="text"
        size="small"
        icon={<PlusOutlined />}
        aria-label={words.zoomIn}
        title={words.zoomIn}
        onClick={() => camera.zoomTo(camera.view().scale * 1.25)}
      />
      <Button
        type="text"
        size="small"
        icon={<ExpandOutlined />}
        aria-label={words.fit}
        title={words.fit}
        onClick={() => camera.fit()}
      />
      {onAddNote && (
        <Button
          type="text"
          size="small"
          icon={<FileAddOutlined />}
          aria-label={words.addNote}
          title={`${words.addNote} (S)`}
          onClick={onAddNote}
        />
      )}
    </div>
  )
}
