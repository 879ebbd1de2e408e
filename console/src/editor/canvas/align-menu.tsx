import {
  AlignCenterOutlined,
  AlignLeftOutlined,
  AlignRightOutlined,
  ColumnHeightOutlined,
  ColumnWidthOutlined,
  VerticalAlignBottomOutlined,
  VerticalAlignMiddleOutlined,
  VerticalAlignTopOutlined,
} from '@ant-design/icons'
import { Button, type MenuProps } from 'antd'
import type { ReactNode } from 'react'
import { ActionMenu } from '../../ui/action-menu.tsx'
import { type Alignment, alignments, minBoxes } from '../model/align.ts'
import { type CanvasWords, useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'

const icons: Readonly<Record<Alignment, ReactNode>> = {
  left: <AlignLeftOutlined />,
  centre: <AlignCenterOutlined />,
  right: <AlignRightOutlined />,
  top: <VerticalAlignTopOutlined />,
  middle: <VerticalAlignMiddleOutlined />,
  bottom: <VerticalAlignBottomOutlined />,
  across: <ColumnWidthOutlined />,
  down: <ColumnHeightOutlined />,
}

const keys: Readonly<Record<Alignment, string>> = {
  left: 'Alt A',
  centre: 'Alt H',
  right: 'Alt D',
  top: 'Alt W',
  middle: 'Alt V',
  bottom: 'Alt S',
  across: 'Alt ⇧ H',
  down: 'Alt ⇧ V',
}

/** Menu items for a selection of that size. */
export const alignItems = (words: CanvasWords, count: number, commands: Commands): MenuProps['items'] =>
  alignments
    .filter(how => count >= minBoxes(how))
    .map(how => ({
      key: how,
      icon: icons[how],
      label: words.alignment(how),
      extra: keys[how],
      onClick: () => commands.align(how),
    }))

export function AlignButton({ count, commands }: { count: number; commands: Commands }) {
  const words = useCanvasWords()
  return (
    <ActionMenu menu={{ items: alignItems(words, count, commands) ?? [] }}>
      <Button
        type="text"
        size="small"
        icon={<AlignLeftOutlined />}
        aria-label={words.align}
        title={words.align}
      />
    </ActionMenu>
  )
}
