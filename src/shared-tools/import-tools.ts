import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { inSlices } from '../kernel/slices.ts'
import { parseLongJson } from '../tools/json-limits.ts'
import { importCurl } from './import-curl.ts'
import { importOpenapi } from './import-openapi.ts'
import type { ImportedTools } from './imported-tool.ts'

/** The tools that a curl command or an OpenAPI document describes. Nothing is stored. */
export async function importTools(content: string, caller: { signal: AbortSignal }): Promise<ImportedTools> {
  const text = content.replace(/^\ufeff/, '').trim()
  if (/^(?:[$>%#]\s+)?curl(\.exe)?\s/i.test(text)) {
    if (text.length > limits.curlLength)
      throw invalidField('/content', `must have at most ${limits.curlLength} characters as a curl command`)
    return importCurl(text)
  }
  if (!text.startsWith('{')) {
    // The parser of YAML is large, and rarely needed.
    const { parseYaml } = await import('../kernel/parse-yaml.ts')
    return inSlices(importOpenapi(await inSlices(parseYaml(text), caller)), caller)
  }
  const document = await parseLongJson(text, caller, { keepsDigits: true })
  if (document === undefined)
    throw invalidField('/content', 'begins like JSON, but is not valid, or has too many values or levels')
  return inSlices(importOpenapi(document), caller)
}
