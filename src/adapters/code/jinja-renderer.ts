import { fileURLToPath } from 'node:url'
import type { CodeCall, CodeRunner } from '../../tools/code-runner.ts'
import type { TemplateCall, TemplateRenderer } from '../../tools/template-renderer.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { jinjaFilters, needsFilters } from './jinja-filters.ts'

/** The CommonJS script and not the module, because the sandbox starts scripts faster. */
const library = fileURLToPath(new URL('./index.cjs', import.meta.resolve('@huggingface/jinja')))

/**
 * Uses the library inside the sandbox. Its class `Template` would remove the line breaks after blocks, which Jinja2 does
 * not do by default. What the sandbox itself reports, such as too much memory, passes through.
 */
const program = String.raw`function main({ template, variables }) {
  const { Environment, Template, parse, tokenize } = module.exports;
  // A variable may be called "range", as in Python; the library fails for names that it knows.
  Environment.prototype.declareVariable = function (name, value) {
    if (!/^(true|false|none)$/i.test(name) || !this.variables.has(name)) this.variables.set(name, value);
    return value;
  };
  globalThis.addFilters?.(module.exports);
  // As a text in quotes, which the library prints as it is.
  const quoted = text => "'" + text.replace(/['\\]/g, '\\$&') + "'";
  const unread = (all, before, start, text, end, after) => {
    const kept = end === '-' ? text.trimEnd() : text;
    return '{{' + before + ' ' + quoted(start === '-' ? kept.trimStart() : kept) + ' ' + after + '}}';
  };
  const raw = /\{%(-?)\s*raw\s*(-?)%\}([^]*?)\{%(-?)\s*endraw\s*(-?)%\}/g;
  // The library has no "with": it becomes a loop over one list of values, in which "loop" is that of the loop around it.
  const identifier = value => ({ type: 'Identifier', value });
  const comma = { type: 'Comma', value: ',' };
  const open = { type: 'OpenSquareBracket', value: '[' };
  const close = { type: 'CloseSquareBracket', value: ']' };
  const loopFor = given => {
    const names = [];
    const values = [];
    let depth = 0;
    for (let at = 0; at < given.length; at++) {
      const [name, equals] = given.slice(at);
      if (name.type !== 'Identifier' || equals?.type !== 'Equals')
        throw new Error('"with" needs names and values, such as {% with total = price * 2 %}');
      names.push(name, comma);
      for (at += 2; at < given.length && (depth > 0 || given[at].type !== 'Comma'); at++) {
        depth += /^Open/.test(given[at].type) - /^Close/.test(given[at].type);
        values.push(given[at]);
      }
      values.push(comma);
    }
    const loops = [identifier('loop'), comma, identifier('loop')];
    return [identifier('for'), ...names, ...loops, identifier('in'), open, open, ...values, ...loops, close, close];
  };
  const withoutWith = tokens => {
    const found = [];
    const blocks = [];
    for (let at = 0; at < tokens.length; at++) {
      const statement = tokens[at - 1]?.type === 'OpenStatement' ? tokens[at].value : '';
      if (/^(with|for)$/.test(statement)) blocks.push(statement);
      if (/^end(with|for)$/.test(statement)) blocks.pop();
      // It would end the loop that the "with" becomes.
      if (/^(break|continue)$/.test(statement) && blocks.at(-1) === 'with')
        throw new Error('"' + statement + '" cannot leave a "with"; move it out of the "with"');
      if (statement === 'with') {
        const given = [];
        while (at + 1 < tokens.length && tokens[at + 1].type !== 'CloseStatement') given.push(tokens[++at]);
        found.push(...loopFor(given));
      } else found.push(statement === 'endwith' ? identifier('endfor') : tokens[at]);
    }
    return found;
  };
  const compiled = Object.create(Template.prototype);
  try {
    compiled.parsed = parse(withoutWith(tokenize(template.replace(raw, unread))));
  } catch (error) {
    // The parser looks for the end of a block beyond the end of the text.
    if (error instanceof TypeError)
      return { problem: 'it ends inside a block; close every {% if %} with {% endif %} and every {% for %} with {% endfor %}' };
    if (error instanceof Error && error.name !== 'InternalError') return { problem: error.message };
    throw error;
  }
  try {
    return { text: compiled.render(variables) };
  } catch (error) {
    if (error instanceof Error && error.name !== 'InternalError') return { problem: error.message };
    throw error;
  }
}`

interface Rendered {
  readonly text?: string
  readonly problem?: string
}

/** Renders Jinja2 with the interpreter of a library, which runs where user code runs, within the same limits. */
export class JinjaRenderer implements TemplateRenderer {
  readonly #code: CodeRunner

  constructor(code: CodeRunner) {
    this.#code = code
  }

  async render({ template, variables, ...call }: TemplateCall, signal: AbortSignal): Promise<string> {
    const code = needsFilters(template) ? program + jinjaFilters : program
    const rendered = await this.#run(
      { ...call, language: 'javascript', code, library, inputs: { template, variables } },
      signal,
    )
    if (rendered.problem === undefined) return rendered.text ?? ''
    throw new ToolFailure(`The Jinja2 template cannot be rendered: ${rendered.problem.slice(0, 300)}`, {
      retryable: false,
    })
  }

  async #run(call: CodeCall, signal: AbortSignal): Promise<Rendered> {
    try {
      return (await this.#code.run(call, signal)) as Rendered
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      const { retryable, retryAfterMilliseconds } = error
      const message = `The Jinja2 template was not rendered. ${error.message}`
      throw new ToolFailure(message, { retryable, retryAfterMilliseconds })
    }
  }
}
