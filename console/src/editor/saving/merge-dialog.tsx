import { Alert, Button, Modal, Segmented } from 'antd'
import { useState } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { mergeGraphs, resolveMerge } from '../model/merge-graphs.ts'
import type { MergeChoice } from '../model/merge-item.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { ConflictSides } from './conflict-sides.tsx'
import { downloadGraph } from './download-graph.ts'
import { MergeSummary } from './merge-summary.tsx'
import { saveBoth } from './save-both.ts'
import type { Autosave } from './use-autosave.ts'
import { isConflict } from './workflow-ports.ts'
import './merge-dialog.css'

const useWords = defineWords(
  {
    title: 'Somebody else saved this workflow meanwhile',
    about:
      'What you both changed in different places is put together by itself. Below is what you both changed differently: choose which one to keep. Both versions stay in the history.',
    mine: 'Mine',
    theirs: 'Theirs',
    all: 'For all of them',
    each: (name: string) => `Which version of ${name} to keep`,
    save: 'Save merged',
    download: 'Download my version',
    again:
      'Somebody saved once more just now. What you chose is being merged with that; you may be asked again.',
  },
  {
    title: '其他人刚刚保存了此工作流',
    about:
      '你们在不同位置的修改会自动合并。以下内容双方作了不同的修改，请选择保留哪一个；两个版本都会留在历史记录中。',
    mine: '我的',
    theirs: '对方的',
    all: '全部选择',
    each: (name: string) => `${name}：保留哪一个`,
    save: '保存合并结果',
    download: '下载我的版本',
    again: '刚刚又有人保存了一次，正在与其合并你的选择，可能还需要再次确认。',
  },
)

/** Shows both versions side by side and merges them node by node. */
export function MergeDialog({ autosave }: { autosave: Autosave }) {
  const { conflict } = autosave
  if (!conflict) return null
  return <OpenDialog key={conflict.theirVersion} autosave={autosave} conflict={conflict} />
}

interface OpenDialogProps {
  autosave: Autosave
  conflict: NonNullable<Autosave['conflict']>
}

function OpenDialog({ autosave, conflict }: OpenDialogProps) {
  const words = useWords()
  const { store, workflowId, name } = useWorkflowEditor()
  const { base, theirs } = conflict
  const [mine] = useState(() => store.state().graph)
  const [{ conflicts }] = useState(() => mergeGraphs(base, mine, theirs))
  const [choices, setChoices] = useState<Record<string, MergeChoice>>(() =>
    Object.fromEntries(conflicts.map(({ id }) => [id, 'mine'])),
  )
  const { isBusy, error, save } = useSaveMerged({ autosave, conflict }, workflowId)
  const chooseAll = (choice: MergeChoice): void =>
    setChoices(Object.fromEntries(conflicts.map(({ id }) => [id, choice])))
  const chosen = new Set(Object.values(choices))
  const options = [
    { value: 'mine' as const, label: words.mine },
    { value: 'theirs' as const, label: words.theirs },
  ]
  return (
    <Modal
      open
      width={920}
      title={words.title}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={[
        <Button key="download" onClick={() => downloadGraph(mine, name || workflowId)}>
          {words.download}
        </Button>,
        <Button
          key="save"
          type="primary"
          loading={isBusy}
          onClick={() => save(mine, resolveMerge(base, mine, theirs, choices))}
        >
          {words.save}
        </Button>,
      ]}
    >
      <p className="merge-about">{words.about}</p>
      <MergeSummary {...{ base, mine, theirs }} />
      {conflicts.length > 1 && (
        <div className="merge-all">
          <span>{words.all}</span>
          <Segmented<MergeChoice | ''>
            aria-label={words.all}
            options={options}
            value={chosen.size === 1 ? [...chosen][0]! : ''}
            onChange={choice => choice !== '' && chooseAll(choice)}
          />
        </div>
      )}
      {conflicts.map(each => (
        <ConflictSides key={each.id} conflict={each} choice={choices[each.id] ?? 'mine'}>
          {title => (
            <Segmented<MergeChoice>
              aria-label={words.each(title)}
              options={options}
              value={choices[each.id] ?? 'mine'}
              onChange={choice => setChoices({ ...choices, [each.id]: choice })}
            />
          )}
        </ConflictSides>
      ))}
      {error !== undefined &&
        (isConflict(error) ? <Alert type="info" showIcon title={words.again} /> : <Failure error={error} />)}
    </Modal>
  )
}

type Graph = OpenDialogProps['conflict']['base']

function useSaveMerged({ autosave, conflict }: OpenDialogProps, workflowId: string) {
  const { store } = useWorkflowEditor()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const goOn = (merged: Graph, version: number): void => {
    // No step for undo, which would take back what somebody else did.
    store.edit({ type: 'graph.replace', graph: merged }, { silent: true })
    autosave.settle(version)
  }
  const save = async (mine: Graph, merged: Graph): Promise<void> => {
    setIsBusy(true)
    setError(undefined)
    try {
      const version = conflict.theirVersion
      goOn(merged, await saveBoth(workflowId, { kept: mine, current: merged, version }))
    } catch (failure) {
      setError(failure)
      // Saving from the version we know meets the newer one, and merges with that.
      if (isConflict(failure)) goOn(merged, conflict.theirVersion)
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, error, save }
}
