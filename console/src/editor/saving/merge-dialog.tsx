import { Alert, Button, Modal, Segmented } from 'antd'
import { useMemo, useState } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { type MergeChoices, mergeGraphs } from '../model/merge-graphs.ts'
import type { MergeChoice } from '../model/merge-item.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { ConflictSides } from './conflict-sides.tsx'
import { downloadGraph } from './download-graph.ts'
import { MergeSummary } from './merge-summary.tsx'
import type { Autosave } from './use-autosave.ts'
import { isConflict } from './workflow-ports.ts'
import './merge-dialog.css'

const useWords = defineWords(
  {
    title: 'Another user saved this workflow in the meantime',
    about:
      'Changes in different places are merged automatically. These items were changed by both of you: choose which version to keep. Both versions stay in the history.',
    mine: 'Mine',
    theirs: 'Theirs',
    all: 'Apply to all',
    each: (name: string) => `Which version of ${name} to keep`,
    save: 'Save merged version',
    download: 'Download my version',
    again: 'Another user saved again just now. Review the choices, then save.',
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
    again: '刚刚又有人保存了一次，请重新核对选择后再保存。',
  },
)

/** Shows both versions side by side and merges them node by node. */
export function MergeDialog({ autosave }: { autosave: Autosave }) {
  const { conflict } = autosave
  return conflict ? <OpenDialog autosave={autosave} conflict={conflict} /> : null
}

interface OpenDialogProps {
  autosave: Autosave
  conflict: NonNullable<Autosave['conflict']>
}

function OpenDialog({ autosave, conflict }: OpenDialogProps) {
  const words = useWords()
  const { workflowId, name } = useWorkflowEditor()
  const { base, theirs } = conflict
  // What was typed just before may get here while this is open.
  const { graph: mine } = useEditorState()
  const { conflicts } = useMemo(() => mergeGraphs(base, mine, theirs), [base, mine, theirs])
  const [chosenSides, setChosenSides] = useState<MergeChoices>({})
  const sideOf = (id: string): MergeChoice => (Object.hasOwn(chosenSides, id) ? chosenSides[id]! : 'mine')
  const { isBusy, error, save } = useSaveMerged(autosave)
  const chooseAll = (choice: MergeChoice): void =>
    setChosenSides(Object.fromEntries(conflicts.map(({ id }) => [id, choice])))
  const chosen = new Set(conflicts.map(({ id }) => sideOf(id)))
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
        <Button key="save" type="primary" loading={isBusy} onClick={() => save(chosenSides)}>
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
        <ConflictSides key={each.id} conflict={each} choice={sideOf(each.id)}>
          {title => (
            <Segmented<MergeChoice>
              aria-label={words.each(title)}
              options={options}
              value={sideOf(each.id)}
              onChange={choice => setChosenSides({ ...chosenSides, [each.id]: choice })}
            />
          )}
        </ConflictSides>
      ))}
      {error !== undefined &&
        (isConflict(error) ? <Alert type="info" showIcon title={words.again} /> : <Failure error={error} />)}
    </Modal>
  )
}

function useSaveMerged({ resolve }: Autosave) {
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (choices: MergeChoices): Promise<void> => {
    setIsBusy(true)
    setError(undefined)
    try {
      await resolve(choices)
    } catch (failure) {
      setError(failure)
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, error, save }
}
