import { ExperimentOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { QueryFailure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import type { RunDetails } from '../runs/run-view.ts'
import { CaseDialog } from './case-dialog.tsx'
import { type Subject, useTestSets } from './test-set-data.ts'

const useWords = defineWords({ add: 'Add to test set' }, { add: '加入测试集' })

/** A run of an agent with a workflow becomes a case of the workflow, because that is what is published. */
const subjectOf = ({ workflow_id, agent_id }: RunDetails): Subject =>
  workflow_id !== '' ? { workflow_id } : { agent_id }

/** Turns a run into a test case, with its answer as the expected one. */
export function AddToTestSet({ details, isSmall = false }: { details: RunDetails; isSmall?: boolean }) {
  const words = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const subject = subjectOf(details)
  const sets = useTestSets(subject, 1, { enabled: isOpen })
  return (
    <>
      {isSmall ? (
        <Button
          type="text"
          size="small"
          icon={<ExperimentOutlined aria-hidden />}
          aria-label={words.add}
          title={words.add}
          onClick={() => setIsOpen(true)}
        />
      ) : (
        <Button onClick={() => setIsOpen(true)}>{words.add}</Button>
      )}
      {isOpen && sets.isError && <QueryFailure query={sets} />}
      {isOpen && sets.data && (
        <CaseDialog
          to={{ subject, sets: sets.data.items }}
          draft={{
            inputs: (details.inputs ?? {}) as Record<string, unknown>,
            checks: details.answer === '' ? [] : [{ type: 'equals', value: details.answer }],
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
