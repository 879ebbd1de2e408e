interface ModelProvider {
  id: string
  /** The provider's name, the same in every language except for those below. */
  name: string
  chineseName?: string
  baseUrl: string
  /** A suggested model id of the provider. */
  model: string
}

/** Well-known providers with an OpenAI-compatible API. */
export const modelProviders: readonly ModelProvider[] = [
  { id: 'openai', name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', model: 'gpt-4o-mini' },
  { id: 'deepseek', name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', model: 'deepseek-chat' },
  {
    id: 'gemini',
    name: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-2.5-flash',
  },
  {
    id: 'azure',
    name: 'Azure OpenAI',
    baseUrl:
      'https://YOUR-RESOURCE.openai.azure.com/openai/deployments/YOUR-DEPLOYMENT?api-version=2024-10-21',
    model: 'gpt-4o-mini',
  },
  { id: 'mistral', name: 'Mistral', baseUrl: 'https://api.mistral.ai/v1', model: 'mistral-small-latest' },
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
  { id: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3' },
]
