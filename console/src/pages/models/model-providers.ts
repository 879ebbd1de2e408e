export interface ModelProvider {
  id: string
  /** What it calls itself; the same in every language, but for those below. */
  name: string
  chineseName?: string
  baseUrl: string
  /** A model to begin with, as the provider calls it. */
  model: string
}

/** Well-known providers with an OpenAI-compatible chat API. */
export const modelProviders: readonly ModelProvider[] = [
  { id: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', model: 'gpt-4o-mini' },
  { id: 'deepseek', name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', model: 'deepseek-chat' },
  {
    id: 'dashscope',
    name: 'Qwen (DashScope)',
    chineseName: '通义千问（百炼）',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
  },
  {
    id: 'moonshot',
    name: 'Moonshot (Kimi)',
    chineseName: '月之暗面（Kimi）',
    baseUrl: 'https://api.moonshot.cn/v1',
    model: 'moonshot-v1-8k',
  },
  {
    id: 'zhipu',
    name: 'Zhipu (GLM)',
    chineseName: '智谱（GLM）',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    model: 'glm-4-flash',
  },
  {
    id: 'siliconflow',
    name: 'SiliconFlow',
    chineseName: '硅基流动',
    baseUrl: 'https://api.siliconflow.cn/v1',
    model: 'Qwen/Qwen2.5-7B-Instruct',
  },
  { id: 'openrouter', name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', model: 'openrouter/auto' },
  {
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'qwen3',
  },
]
