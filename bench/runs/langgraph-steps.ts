import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { type RunOnce, type Shape, workIds } from './step-graph.ts'

const State = Annotation.Root({
  value: Annotation<number>({ reducer: (_, next) => next, default: () => 0 }),
})

const step = async (): Promise<{ value: number }> => ({ value: 1 })

/** The same shape in LangGraph, without a checkpointer. */
export function langgraphRunner(shape: Shape, size: number): RunOnce {
  const ids = workIds(size)
  const graph = new StateGraph(State)
  const add = (from: string, id: string): void => {
    graph.addNode(id, step)
    graph.addEdge(from, id)
  }
  if (shape === 'chain') for (const [at, id] of ids.entries()) add(ids[at - 1] ?? START, id)
  else {
    for (const id of ids) add(START, id)
    graph.addNode('join', step)
    for (const id of ids) graph.addEdge(id, 'join')
  }
  graph.addEdge(shape === 'chain' ? ids.at(-1)! : 'join', END)
  const compiled = graph.compile()
  return async () => {
    const { value } = await compiled.invoke({ value: 0 }, { recursionLimit: size + 10 })
    if (value !== 1) throw new Error('The graph of the library did not run')
  }
}
