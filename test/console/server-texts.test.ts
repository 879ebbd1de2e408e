import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { absenceText, chineseAbsences } from '../../console/src/ui/server-texts/absence-texts.ts'
import {
  documentFailureTexts,
  documentWarningTexts,
} from '../../console/src/ui/server-texts/document-failure-texts.ts'
import {
  errorTexts,
  kindOfModelFailure,
  modelResultTexts,
  type Text,
} from '../../console/src/ui/server-texts/error-texts.ts'
import { chineseImportNotes, importNoteText } from '../../console/src/ui/server-texts/import-note-texts.ts'
import {
  explain,
  explainByText,
  explainField,
  explainModel,
  explainSearchWarning,
  explainSentence,
  factsIn,
  joinSentences,
} from '../../console/src/ui/server-texts/message-facts.ts'
import { chineseRules } from '../../console/src/ui/server-texts/rule-texts.ts'
import { chineseSettings } from '../../console/src/ui/server-texts/setting-texts.ts'
import { webFailureTexts } from '../../console/src/ui/server-texts/web-failure-texts.ts'
import { settings } from '../../src/config/settings.ts'
import { errorCodes } from '../../src/contract/error-codes.ts'
import { type ImportNoteCode, importNotes } from '../../src/contract/import-notes.ts'
import { documentFailures } from '../../src/knowledge/ingest/document-failure.ts'
import { webFailures } from '../../src/knowledge/web/web-failure.ts'
import type { WarningRule } from '../../src/workflow/warning.ts'

/** A rule that is missing here, or no longer exists, fails the type check. */
const rules: Record<WarningRule, true> = {
  no_input: true,
  no_end: true,
  cycle: true,
  unreachable: true,
  reference_malformed: true,
  reference_unmarked: true,
  branch_unknown: true,
  setting_out_of_range: true,
  reference_unknown_node: true,
  reference_not_before: true,
  reference_may_be_skipped: true,
  reference_disabled: true,
  reference_unknown_output: true,
  unknown_kind: true,
  node_id_too_long: true,
  missing_setting: true,
  null_setting: true,
  code_unsupported: true,
  secret_not_allowed: true,
  secret_unknown: true,
  secret_used: true,
  tool_unknown: true,
  tool_wrong_type: true,
  knowledge_unknown: true,
  credential_in_graph: true,
}

const keysOf = (table: object): string[] => Object.keys(table).sort()
const isChinese = (text: string): boolean => /[\u4e00-\u9fff]/.test(text)
const hasEnglishSentence = (text: string): boolean => /[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(text)

suite('Texts for the codes of the server', () => {
  test('cover every error, document failure, workflow rule and setting', () => {
    assert.deepEqual(keysOf(errorTexts), keysOf(errorCodes))
    assert.deepEqual(keysOf(documentFailureTexts), keysOf(documentFailures))
    assert.deepEqual(keysOf(webFailureTexts), keysOf(webFailures))
    assert.deepEqual(keysOf(chineseRules), keysOf(rules))
    assert.deepEqual(keysOf(chineseSettings), keysOf(settings))
  })

  test('are English in English and Chinese in Chinese', () => {
    for (const catalogue of [
      errorTexts,
      documentFailureTexts,
      documentWarningTexts,
      webFailureTexts,
      modelResultTexts,
    ])
      for (const [code, { en, zh }] of Object.entries<Text>(catalogue)) {
        assert.ok(en !== '' && !isChinese(en), code)
        assert.ok(isChinese(zh) && !hasEnglishSentence(zh), code)
      }
    for (const [name, zh] of [chineseRules, chineseSettings, chineseAbsences].flatMap(Object.entries<string>))
      assert.ok(isChinese(zh) && !hasEnglishSentence(zh), name)
  })
})

suite('A failure', () => {
  test('is explained by the server in English', () => {
    const message = 'There is no workflow tea'
    assert.deepEqual(explain('en', 'not_found', message), { title: message, details: [] })
    assert.equal(explain('en', 'not_found', '').title, errorTexts.not_found.en)
    assert.notEqual(explain('en', 'of_a_newer_server', '').title, '')
  })

  test('is explained by its reason in Chinese, with the facts of the answer', () => {
    assert.deepEqual(explain('zh', 'not_configured', 'No model: set MODEL_BASE_URL and MODEL_NAME'), {
      title: errorTexts.not_configured.zh,
      details: ['相关信息：MODEL_BASE_URL、MODEL_NAME'],
    })
    assert.deepEqual(
      explain('zh', 'timed_out', 'The run stopped after 2,000 steps. Raise `max_steps`.').details,
      ['相关信息：2,000 步、max_steps'],
    )
    assert.deepEqual(explain('zh', 'of_a_newer_server', 'Whatever it says.').details, [])
  })

  test('of a step has the whole sentence in Chinese, which may be by the author of the workflow', () => {
    assert.deepEqual(explain('zh', 'step_failed', 'Error in line 1: 库存不足：请先补货'), {
      title: errorTexts.step_failed.zh,
      details: ['错误信息：Error in line 1: 库存不足：请先补货'],
    })
    assert.deepEqual(explain('zh', 'step_failed', '').details, [])
  })

  test('of a document repeats nothing', () => {
    const { broken_file: broken, no_text: noText } = documentFailureTexts
    const message = 'The file is damaged: its list of entries is missing. Save or upload it again.'
    assert.deepEqual(explainByText('en', broken, message), { title: message, rest: '' })
    assert.deepEqual(explainByText('en', broken, 'It has no main part.'), {
      title: broken.en,
      rest: 'It has no main part.',
    })
    assert.deepEqual(explainByText('zh', noText, 'Set OCR_MODEL, or split the 3 pages.'), {
      title: noText.zh,
      rest: '3 页',
    })
  })

  test('of a provider is explained by its status and quotes the provider', () => {
    const { title, details } = explain(
      'zh',
      'model_failed',
      'Model "cheap": provider error (500). Try again later. Provider message: upstream is down',
    )
    assert.equal(title, '模型“cheap”：服务商出错（500），请稍后重试。')
    assert.deepEqual(details, ['服务商的说明：“upstream is down”'])
  })

  test('without a reason is explained as one of a model, or quoted', () => {
    const message = 'Model "e": the provider could not be reached.'
    assert.equal(explainSentence('en', message), message)
    assert.equal(explainSentence('zh', message), `模型“e”：${modelResultTexts.unreachable.zh}`)
    assert.equal(explainSentence('zh', 'Internal error'), '错误信息：Internal error')
    const warning = `Keyword search only: ${message} Not reranked: ${message}`
    assert.equal(explainSearchWarning('en', warning), warning)
    assert.equal(
      explainSearchWarning('zh', warning),
      `仅使用了关键词检索。结果未经重排序。模型“e”：${modelResultTexts.unreachable.zh}`,
    )
  })

  test('of a model test is explained by its code, also one of a newer server', () => {
    assert.deepEqual(explainModel('empty_answer', 'The answer was empty.'), {
      title: modelResultTexts.empty_answer.zh,
      details: [],
    })
    const blocked = 'Model "x": set EGRESS_ALLOW. Provider message: no'
    assert.equal(explainModel('key_rejected', blocked).title, `模型“x”：${modelResultTexts.key_rejected.zh}`)
    assert.deepEqual(explainModel('of_a_newer_server', blocked), {
      title: `模型“x”：${modelResultTexts.other.zh}`,
      details: ['相关信息：EGRESS_ALLOW', '服务商的说明：“no”'],
    })
  })

  const cases: [string, keyof typeof modelResultTexts][] = [
    ['Model "cheap": the provider rejected the API key (401)', 'key_rejected'],
    ['Model "cheap": the provider does not know this URL or model (404). Check it.', 'not_found'],
    ['Model "cheap": the rate limit of the provider is reached (429). Wait.', 'rate_limited'],
    ['Model "cheap": the account at the provider has no credit left (429).', 'no_credit'],
    ['Model "cheap": the provider sent a redirect, which is not followed (302).', 'redirect'],
    ['Model "cheap": the provider rejected the request (400).', 'refused'],
    ['Model "cheap": the provider could not be reached. Check MODEL_BASE_URL.', 'unreachable'],
    [
      'Model "x": the provider could not be reached. The operator must list it in EGRESS_ALLOW.',
      'unreachable',
    ],
    ['The model did not answer within 30 seconds', 'timed_out'],
    ['Model "cheap": it cannot be called. List a private address in EGRESS_ALLOW.', 'blocked'],
    ['Model "x": the provider cannot be called with these settings. Check MODEL_BASE_URL.', 'blocked'],
    ['Model "x": the provider did not respond in time. Check that MODEL_BASE_URL is right.', 'timed_out'],
    ['Something else', 'other'],
  ]
  for (const [message, kind] of cases)
    test(`of a model is ${kind}: ${message}`, () => assert.equal(kindOfModelFailure(message), kind))
})

suite('A document without a result', () => {
  const reason = 'Its best passage has the score 0.200, below the threshold 0.5.'
  test('is explained by the server in English and by its code in Chinese, with the scores', () => {
    assert.equal(absenceText('en', { code: 'below_threshold', reason }), reason)
    assert.equal(
      absenceText('zh', { code: 'below_threshold', reason }),
      `${chineseAbsences.below_threshold}（0.200、0.5）`,
    )
    assert.equal(absenceText('zh', { code: 'of_a_newer_server', reason: 'New.' }), '它没有进入结果。')
  })
})

suite('A note of an import', () => {
  const line = (code: string): Parameters<typeof importNoteText>[1] => ({
    message: 'Packages cannot be installed: numpy, $&. Certificates are always verified.',
    notes: [
      { code, values: { packages: 'numpy, $&' } },
      { code: 'certificates', values: {} },
    ],
  })
  test('is the sentence of the server in English and that of its code in Chinese, with its values', () => {
    assert.equal(importNoteText('en', line('packages_left_out')), line('').message)
    const chinese = `无法安装第三方包：numpy, $&。${chineseImportNotes.certificates}`
    assert.equal(importNoteText('zh', line('packages_left_out')), chinese)
    assert.equal(importNoteText('zh', line('of_a_newer_server')), line('').message)
  })

  test('has the same values in both languages', () => {
    const namesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
    for (const [code, text] of Object.entries(importNotes))
      assert.deepEqual(namesIn(chineseImportNotes[code as ImportNoteCode]), namesIn(text), code)
  })
})

suite('A rejected field', () => {
  const cases = [
    ['/name', 'is required', '/name：必填'],
    ['/name', 'must NOT have more than 200 characters', '/name：不能超过 200 个字符'],
    ['/items', 'must NOT have fewer than 1 items', '/items：不能少于 1 项'],
    ['/count', 'must be >= 0', '/count：不能少于 0'],
    ['/count', 'must be an integer', '/count：应为整数'],
    ['/mode', 'must be one of auto, hybrid', '/mode：只能是：auto, hybrid'],
    [
      '/schedule/cron',
      'is not a cron expression: Invalid value for hour: 25',
      '/schedule/cron：不是有效的 cron 表达式',
    ],
    ['/schedule/cron', 'never occurs from now on', '/schedule/cron：这样的时间永远不会到来'],
    ['/base_url', 'must be an http:// or https:// address', '/base_url：不是有效的网址'],
    [
      '/config/model',
      'There is no model nobody; add it, or leave this out',
      '/config/model：不存在（nobody）',
    ],
    ['', 'is something new', '请求内容：无效'],
  ] as const
  for (const [path, message, chinese] of cases)
    test(`${path} ${message}`, () => {
      assert.equal(explainField('en', path, message), `${path} ${message}`.trim())
      assert.equal(explainField('zh', path, message), chinese)
    })

  test('with the content of a file is named as the user sees it', () => {
    const message = 'is neither an exported workflow in JSON nor an app that was exported from Dify in YAML'
    assert.equal(explainField('en', '/content', message), `The content ${message}`)
    assert.equal(explain('en', 'invalid_request', `/content: ${message}`).title, `The content ${message}`)
    assert.match(explainField('zh', '/content', message), /^内容：既不是导出的工作流/)
    assert.match(
      explainField('zh', '/content', 'must be a curl command, or an OpenAPI 3'),
      /^内容：应为 curl 命令/,
    )
  })

  test('facts are what needs no translation, each once', () => {
    assert.deepEqual(factsIn('{{#nobody.text#}} refers to "x", and {{#nobody.text#}} again'), [
      '{{#nobody.text#}}',
      'x',
    ])
    assert.deepEqual(factsIn('The file is larger than 1,048,576 bytes'), ['1,048,576 字节'])
    assert.deepEqual(factsIn('Nothing of interest.'), [])
  })
})

test('sentences in one line have a space between them in English only', () => {
  assert.equal(joinSentences(['It failed.', '', 'Try again.']), 'It failed. Try again.')
  assert.equal(joinSentences(['执行失败。', '相关信息：HTTP 500']), '执行失败。相关信息：HTTP 500')
  assert.equal(joinSentences(['相关信息：a', '追踪 ID：b']), '相关信息：a 追踪 ID：b')
  assert.equal(joinSentences([]), '')
})
