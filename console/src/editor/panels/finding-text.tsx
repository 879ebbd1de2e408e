import type { CheckFinding } from '../workflow-editor.ts'
import { useRuleSentence } from './use-rule-sentence.ts'
import './finding-text.css'

/** What is wrong in the reader's language, with the server's own words below as the details. */
export function FindingText({ finding }: { finding: CheckFinding }) {
  const sentence = useRuleSentence()(finding)
  if (sentence === undefined) return finding.message
  return (
    <>
      {sentence}
      <span className="finding-detail" lang="en">
        {finding.message}
      </span>
    </>
  )
}
