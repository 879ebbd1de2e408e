import { Dialog } from '../../ui/dialog.tsx'
import { defineWords } from '../../ui/words.ts'
import './keyboard-help.css'

const command = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

const useWords = defineWords(
  {
    title: 'Keyboard shortcuts',
    next: 'Next or previous node',
    neighbour: 'Nearest node in a direction',
    edges: 'Next or previous connection of the node',
    open: 'Open the settings of the node or connection',
    move: 'Move the selection; hold Shift to move farther',
    connect: 'Connect the node to another',
    addAfter: 'Add a node after the node, or in the connection',
    palette: 'Search for a node to add',
    find: 'Find a node',
    rename: 'Rename the node',
    disable: 'Disable or enable the selection',
    menu: 'Open the menu',
    align: 'Align left, right, top, bottom',
    centre: 'Align horizontal, vertical centres',
    distribute: 'Distribute horizontally, vertically',
    free: 'Drag without alignment lines',
    altDrag: 'Alt + drag',
    note: 'Add a note',
    link: 'Open the link of the note; with several, its menu',
    resize: 'Resize the selected note',
    group: 'Group, ungroup',
    remove: 'Delete the selection',
    copy: 'Copy, cut, paste',
    duplicate: 'Duplicate',
    all: 'Select all',
    band: 'Drag to select',
    dragShift: 'Shift + drag',
    add: 'Add to the selection',
    clickShift: 'Shift + click',
    undo: 'Undo, redo',
    zoom: 'Zoom',
    wheel: 'wheel',
    size: 'Zoom to 100 % / Fit',
    pan: 'Pan',
    drag: 'drag',
    save: 'Save now',
    nothing: 'Clear selection',
    help: 'Show this help',
  },
  {
    title: '键盘快捷键',
    next: '下一个或上一个节点',
    neighbour: '某个方向上最近的节点',
    edges: '节点的下一条或上一条连线',
    open: '打开节点或连线的设置',
    move: '移动所选节点；按住 Shift 移动更远',
    connect: '把节点连接到另一个节点',
    addAfter: '在节点之后或连线中添加节点',
    palette: '搜索要添加的节点',
    find: '查找节点',
    rename: '重命名节点',
    disable: '禁用或启用所选节点',
    menu: '打开菜单',
    align: '左、右、顶部、底部对齐',
    centre: '水平、垂直居中对齐',
    distribute: '水平、垂直等距分布',
    free: '拖动时不吸附对齐线',
    altDrag: 'Alt + 拖动',
    note: '添加便签',
    link: '打开便签中的链接；有多个时打开菜单',
    resize: '调整所选便签的大小',
    group: '编组、取消编组',
    remove: '删除所选内容',
    copy: '复制、剪切、粘贴',
    duplicate: '创建副本',
    all: '全选',
    band: '框选',
    dragShift: 'Shift + 拖动',
    add: '加选',
    clickShift: 'Shift + 点击',
    undo: '撤销、重做',
    zoom: '缩放',
    wheel: '滚轮',
    size: '缩放到 100% / 适应画布',
    pan: '移动画布',
    drag: '拖动',
    save: '立即保存',
    nothing: '取消选择',
    help: '显示本帮助',
  },
)

/** All keys in one place; `?` opens it. */
export function KeyboardHelp({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  const rows: [string, string[]][] = [
    [words.next, ['Tab', 'Shift + Tab']],
    [words.neighbour, ['Alt + ← ↑ ↓ →']],
    [words.edges, ['E', 'Shift + E']],
    [words.open, ['Enter']],
    [words.move, ['← ↑ ↓ →']],
    [words.connect, ['C']],
    [words.addAfter, ['N']],
    [words.palette, ['/']],
    [words.find, [`${command} + F`]],
    [words.rename, ['F2']],
    [words.disable, ['D']],
    [words.menu, ['Shift + F10']],
    [words.align, ['Alt + A', 'Alt + D', 'Alt + W', 'Alt + S']],
    [words.centre, ['Alt + H', 'Alt + V']],
    [words.distribute, ['Alt + Shift + H', 'Alt + Shift + V']],
    [words.free, [words.altDrag]],
    [words.note, ['S']],
    [words.link, ['O']],
    [words.resize, [`${command} + ← ↑ ↓ →`]],
    [words.group, [`${command} + G`, `${command} + Shift + G`]],
    [words.remove, ['Delete']],
    [words.copy, [`${command} + C`, `${command} + X`, `${command} + V`]],
    [words.duplicate, [`${command} + D`]],
    [words.all, [`${command} + A`]],
    [words.band, [words.dragShift]],
    [words.add, [words.clickShift]],
    [words.nothing, ['Esc']],
    [words.undo, [`${command} + Z`, `${command} + Shift + Z`]],
    [words.zoom, ['+', '−', `${command} + ${words.wheel}`]],
    [words.size, ['0', '1']],
    [words.pan, [words.drag, words.wheel, `Space + ${words.drag}`]],
    [words.save, [`${command} + S`]],
    [words.help, ['?']],
  ]
  return (
    <Dialog
      open={open}
      onCancel={onClose}
      footer={null}
      mask={{ closable: true }}
      title={words.title}
      width={'min(960px, 94vw)'}
    >
      <dl className="keys">
        {rows.map(([meaning, keys]) => (
          <div key={meaning}>
            <dt>{meaning}</dt>
            <dd>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
