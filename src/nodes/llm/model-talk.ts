import type { LanguageModel, ModelMessage, ModelRequest, ToolCall } from '../../models/language-model.ts'
import { type Step, StepFailure } from '../../workflow/step.ts'
import { askModel } from '../ask-model.ts'
import type { SpokenText } from './spoken-text.ts'
import type { Tool } from './tool.ts'
import { useTools } from './use-tools.ts'

/** Calls of the model until it must have answered. */
const mostCalls = 8

/** The model and its tools at work: every call and every use of a tool happens once in the life of the step. */
export class ModelTalk {
  readonly #step: Step
  readonly #model: LanguageModel
  readonly #tools: readonly Tool[]
  readonly #spoken: SpokenText
  readonly #settings: Omit<ModelRequest, 'messages' | 'tools'>
  readonly #messages: ModelMessage[]
  #calls = 0
  #promptTokens = 0
  #completionTokens = 0

  constructor(
    step: Step,
    parts: {
      model: LanguageModel
      tools: readonly Tool[]
      spoken: SpokenText
      settings: Omit<ModelRequest, 'messages' | 'tools'>
      messages: readonly ModelMessage[]
    },
  ) {
    this.#step = step
    this.#model = parts.model
    this.#tools = parts.tools
    this.#spoken = parts.spoken
    this.#settings = parts.settings
    this.#messages = [...parts.messages]
  }

  get usage() {
    const [prompt_tokens, completion_tokens] = [this.#promptTokens, this.#completionTokens]
    return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  }

  /** Lets the model use its tools until it answers. */
  async answer(): Promise<string> {
    while (this.#calls < mostCalls) {
      // The last call has no tools, so that it can only be an answer.
      const tools = this.#calls === mostCalls - 1 ? [] : this.#tools
      const { text, toolCalls } = await this.#call(tools)
      if (toolCalls.length === 0 || tools.length === 0) return this.#answered(text)
      this.#messages.push(...(await useTools(this.#step, tools, toolCalls, this.#calls)))
      this.#spoken.pause()
    }
    throw this.#noAnswer()
  }

  /** Tells the model what was wrong with its answer and gives the next one, which takes the place of the first. */
  async correct(problem: string): Promise<string> {
    this.#spoken.restart()
    this.#messages.push({ role: 'user', parts: [{ type: 'text', text: problem }] })
    return (await this.#call([])).text
  }

  #answered(text: string): string {
    if (text.trim() === '' && this.#calls > 1) throw this.#noAnswer()
    return text
  }

  #noAnswer(): StepFailure {
    const message = `The model used its tools in ${this.#calls} calls and gave no answer; make the prompt clearer.`
    return new StepFailure('step_failed', message)
  }

  async #call(tools: readonly Tool[]): Promise<{ text: string; toolCalls: ToolCall[] }> {
    this.#calls += 1
    const before = this.#spoken.text
    const answer = await askModel(this.#step, {
      model: this.#model,
      name: `call-${this.#calls}`,
      request: {
        ...this.#settings,
        messages: [...this.#messages],
        ...(tools.length > 0 && { tools: tools.map(definitionOf) }),
      },
      onText: piece => this.#spoken.write(piece),
    })
    // An answer of an earlier life, or of a model that gives no pieces, is said in one.
    if (this.#spoken.text === before) this.#spoken.write(answer.text)
    this.#promptTokens += answer.usage.promptTokens
    this.#completionTokens += answer.usage.completionTokens
    const toolCalls = withOwnIds(answer.toolCalls, this.#calls)
    this.#messages.push({ role: 'assistant', text: answer.text, toolCalls })
    return { text: answer.text, toolCalls }
  }
}

const definitionOf = ({ name, description, parameters }: Tool) => ({ name, description, parameters })

/** Some providers give no ids, or the same one twice; then nobody could tell whose answer is whose. */
function withOwnIds(calls: readonly ToolCall[], round: number): ToolCall[] {
  const given = new Set(calls.map(call => call.id))
  if (given.size === calls.length && !given.has('')) return [...calls]
  return calls.map((call, place) => ({ ...call, id: `call_${round}_${place}` }))
}
