import { defineWords } from '../../ui/words.ts'
import type { NodeMark } from '../workflow-editor.ts'

const seconds = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`

const marked =
  (names: Record<NodeMark['status'], string>, tokens: (count: number) => string) =>
  ({ status, elapsedMs, tokens: count }: NodeMark): string =>
    [
      names[status],
      ...(elapsedMs === undefined || status === 'skipped' ? [] : [seconds(elapsedMs)]),
      ...(count ? [tokens(count)] : []),
    ].join(' · ')

export const useCanvasWords = defineWords(
  {
    canvas: 'Canvas',
    howTo:
      'Tab moves between nodes, E steps through a node’s connections, Enter opens the settings, arrow keys move the node. Press question mark for all shortcuts.',
    mark: marked(
      {
        running: 'Running',
        waiting: 'Waiting',
        succeeded: 'Done',
        skipped: 'Skipped',
        failed: 'Failed',
        stopped: 'Stopped',
      },
      count => `${count} tokens`,
    ),
    findings: (count: number) => (count === 1 ? '1 problem' : `${count} problems`),
    label: (title: string, kind: string, more: string[]) =>
      [title, ...(kind === title ? [] : [kind]), ...more].join(', '),
    emptyTitle: 'This workflow is empty',
    empty: 'Drag a node from the left onto the canvas, or press / to search for one. Start with an input.',
    addHere: 'Add a node here',
    map: 'Minimap: click to go there',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit to screen',
    zoom: (percent: number) => `Zoom ${percent} %: reset to 100 %`,
    selection: 'Selection',
    nodes: (count: number) => (count === 1 ? '1 node' : `${count} nodes`),
    edges: (count: number) => (count === 1 ? '1 connection' : `${count} connections`),
    copy: 'Copy',
    copied: 'Copied',
    duplicateNodes: 'Duplicate',
    remove: 'Delete',
    connect: 'Connect…',
    connectTitle: (title: string) => `Connect “${title}”`,
    connectTo: 'To',
    connectOk: 'Connect',
    nowhere: 'There is no other node that this one can connect to.',
    branch: 'Branch',
    everyCase: 'Any branch',
    onError: 'On error',
    taken: 'in use',
    wire: (from: string, to: string) => `${from} → ${to}`,
    self: 'A node cannot connect to itself.',
    duplicate: 'These nodes are already connected.',
    cycle:
      'This would create a cycle: the target runs before this node. Use a loop or an iteration to repeat steps.',
    'into-input': 'Nothing can connect to the input: it always comes first.',
    'out-of-end': 'Nothing can follow the end.',
  },
  {
    canvas: '画布',
    howTo:
      '按 Tab 在节点间切换，按 E 在节点的连线间切换，按 Enter 打开设置，用方向键移动节点。按问号查看全部快捷键。',
    mark: marked(
      {
        running: '运行中',
        waiting: '等待中',
        succeeded: '完成',
        skipped: '已跳过',
        failed: '失败',
        stopped: '已停止',
      },
      count => `${count} tokens`,
    ),
    findings: (count: number) => `${count} 个问题`,
    label: (title: string, kind: string, more: string[]) =>
      [title, ...(kind === title ? [] : [kind]), ...more].join('，'),
    emptyTitle: '工作流还是空的',
    empty: '从左侧把节点拖到画布上，或按 / 搜索节点。建议从“输入”开始。',
    addHere: '在此添加节点',
    map: '缩略图：点击即可前往',
    zoomIn: '放大',
    zoomOut: '缩小',
    fit: '适应画布',
    zoom: (percent: number) => `缩放 ${percent}%：恢复到 100%`,
    selection: '所选内容',
    nodes: (count: number) => `${count} 个节点`,
    edges: (count: number) => `${count} 条连线`,
    copy: '复制',
    copied: '已复制',
    duplicateNodes: '创建副本',
    remove: '删除',
    connect: '连接到…',
    connectTitle: (title: string) => `连接“${title}”`,
    connectTo: '目标节点',
    connectOk: '连接',
    nowhere: '没有可以连接的节点。',
    branch: '分支',
    everyCase: '所有分支',
    onError: '出错时',
    taken: '已使用',
    wire: (from: string, to: string) => `${from} → ${to}`,
    self: '节点不能连接到自己。',
    duplicate: '这两个节点已经连接。',
    cycle: '这样会形成环路：目标节点在它之前。需要重复执行时请使用“循环”或“迭代”。',
    'into-input': '“输入”之前不能有其他节点。',
    'out-of-end': '“结束”之后不能再有节点。',
  },
)

export type CanvasWords = ReturnType<typeof useCanvasWords>
