import type { ChildCall, ChildResult, Outputs, SystemValues } from '../step.ts'
import type { StepRun } from './step-run.ts'

/** What a graph at work knows of the run, or of the step, that it is part of. */
export interface Surroundings {
  readonly system: SystemValues
  /** What stands before the ids of nodes in paths; empty for the run's own graph. */
  readonly prefix: string
  /** Lets those who speak in this graph be heard; undefined: they are not. */
  readonly heardBy: ((say: () => void) => void) | undefined
  /** Somebody else may have begun these steps and died over them, without a word in the journal. */
  readonly isTakenOver?: boolean
  /** Somebody around it deals with its failure, so that the run goes on. */
  readonly isFailureHandled?: boolean
  /** Outputs of nodes that do not run, for trying a single one. */
  readonly given?: ReadonlyMap<number, Outputs>
  runChild(
    parent: StepRun,
    call: ChildCall,
    heardBy: Surroundings['heardBy'],
    signal: AbortSignal,
  ): Promise<ChildResult>
}
