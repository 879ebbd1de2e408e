const names =
  'batch|count|d|e|escape|format|groupby|max|min|reject|rejectattr|round|select|selectattr|striptags|sum|truncate|urlencode|wordcount'
const anyOfThem = new RegExp(String.raw`(?:\||\bfilter)\s*(?:${names})\b`)

/** The filters are loaded only where needed, because that takes longer than most templates take to render. */
export const needsFilters = (template: string): boolean => anyOfThem.test(template)

/**
 * Filters of Jinja2 that the library lacks, as JavaScript for the sandbox: `addFilters` gives them to its interpreter.
 * A filter gets the value that it is applied to, a function that reads an argument by its place or name, and the scope.
 */
export const jinjaFilters = String.raw`
function addFilters({ Environment, Interpreter }) {
  const wrapped = value => new Environment().set('value', value);
  const plain = ({ value }) => {
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
    return Array.isArray(value) ? value.map(plain) : value;
  };
  const textOf = value => (/^(Null|Undefined)Value$/.test(value.type) ? '' : value.toString());
  const itemsOf = (name, { value }) => {
    if (Array.isArray(value)) return value;
    throw new Error('"' + name + '" needs a list');
  };
  const numberOf = (name, { value }) => {
    if (typeof value === 'number') return value;
    throw new Error('"' + name + '" needs numbers, but has ' + JSON.stringify(value ?? null));
  };
  const own = (value, key) => (Object.hasOwn(Object(value), key) ? value[key] : undefined);
  const attributeOf = (item, path) => String(path).split('.').reduce(own, plain(item));
  const picked = (name, isBetter) => (operand, argument) => {
    const path = argument(1, 'attribute');
    const keyOf = item => (path === undefined ? plain(item) : attributeOf(item, path));
    const [first, ...rest] = itemsOf(name, operand);
    if (first === undefined) return wrapped(undefined);
    return rest.reduce((best, each) => (isBetter(keyOf(each), keyOf(best)) ? each : best), first);
  };
  const compared = {
    eq: (one, other) => one === other,
    ne: (one, other) => one !== other,
    lt: (one, other) => one < other,
    le: (one, other) => one <= other,
    gt: (one, other) => one > other,
    ge: (one, other) => one >= other,
    in: (one, all) => (Array.isArray(all) || typeof all === 'string' ? all.includes(one) : Object.hasOwn(Object(all), one)),
  };
  const signs = { '==': 'eq', equalto: 'eq', '!=': 'ne', '<': 'lt', lessthan: 'lt', '<=': 'le', '>': 'gt', greaterthan: 'gt', '>=': 'ge' };
  const testOf = (given, other, { tests }) => {
    if (given === undefined) return value => value.__bool__().value;
    const name = Object.hasOwn(signs, given) ? signs[given] : given;
    if (Object.hasOwn(compared, name)) return value => compared[name](plain(value), other);
    const test = tests.get(name);
    if (!test) throw new Error('there is no test "' + name + '"');
    return test;
  };
  const selected = (name, isKept) => (operand, argument, environment) => {
    const isByPath = name.endsWith('attr');
    const place = isByPath ? 1 : 0;
    const test = testOf(argument(place), argument(place + 1), environment);
    const read = item => (isByPath ? wrapped(attributeOf(item, argument(0))) : item);
    return new operand.constructor(itemsOf(name, operand).filter(item => test(read(item)) === isKept));
  };
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
  const padded = (text, flags, width = 0) => {
    if (flags.includes('-')) return text.padEnd(width);
    if (!flags.includes('0')) return text.padStart(width);
    return text.replace(/\d+/, digits => digits.padStart(width - text.length + digits.length, '0'));
  };
  const roundings = {
    common: number => (Math.abs(number % 1) === 0.5 ? 2 * Math.round(number / 2) : Math.round(number)),
    ceil: Math.ceil,
    floor: Math.floor,
  };

  const filters = {
    count: 'length',
    d: 'default',
    e: 'escape',
    max: picked('max', (one, best) => one > best),
    min: picked('min', (one, best) => one < best),
    select: selected('select', true),
    reject: selected('reject', false),
    selectattr: selected('selectattr', true),
    rejectattr: selected('rejectattr', false),
    groupby(operand, argument) {
      const path = argument(0, 'attribute');
      const keyOf = item => attributeOf(item, path) ?? argument(1, 'default') ?? null;
      const groups = [...Map.groupBy(itemsOf('groupby', operand), keyOf)];
      groups.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
      const pairs = groups.map(([key, items]) => {
        const [grouper, list] = [wrapped(key), new operand.constructor(items)];
        const pair = new operand.constructor([grouper, list]);
        pair.builtins.set('grouper', grouper);
        pair.builtins.set('list', list);
        return pair;
      });
      return new operand.constructor(pairs);
    },
    sum(operand, argument) {
      const path = argument(0, 'attribute');
      const given = itemsOf('sum', operand);
      const items = path === undefined ? given : given.map(each => wrapped(attributeOf(each, path)));
      const total = items.reduce((sum, each) => sum + numberOf('sum', each), argument(1, 'start') ?? 0);
      const float = items.find(each => each.type === 'FloatValue');
      return float ? new float.constructor(total) : wrapped(total);
    },
    round(operand, argument) {
      const number = numberOf('round', operand);
      const digits = argument(0, 'precision') ?? 0;
      const method = argument(1, 'method') ?? 'common';
      if (!Object.hasOwn(roundings, method)) throw new Error('"round" has the methods common, ceil and floor');
      // More exact than the product, which may lie on the other side of a half.
      if (method === 'common' && digits > 0) return new operand.constructor(Number(number.toFixed(digits)));
      return new operand.constructor(roundings[method](number * 10 ** digits) / 10 ** digits);
    },
    format(operand, argument) {
      let next = 0;
      const pattern = /%(?:%|(?:\((\w+)\))?([-0+ ]*)(\d+)?(?:\.(\d+))?([sdif]))/g;
      const filled = (all, name, flags, width, digits, kind) => {
        if (all === '%%') return '%';
        const value = name === undefined ? argument(next++) : argument(-1, name);
        if (kind === 's') return padded(textOf(wrapped(value)).slice(0, digits), flags.replace('0', ''), width);
        if (typeof value !== 'number') throw new Error('"format" needs a number for ' + all);
        const text = kind === 'f' ? value.toFixed(digits ?? 6) : String(Math.trunc(value));
        return padded(flags.includes('+') && value >= 0 ? '+' + text : text, flags, width);
      };
      return wrapped(textOf(operand).replace(pattern, filled));
    },
    truncate(operand, argument) {
      const text = textOf(operand);
      const length = argument(0, 'length') ?? 255;
      const end = argument(2, 'end') ?? '...';
      if (text.length <= length + (argument(3, 'leeway') ?? 5)) return wrapped(text);
      const start = text.slice(0, Math.max(length - end.length, 0));
      const words = start.lastIndexOf(' ');
      return wrapped((argument(1, 'killwords') === true || words < 0 ? start : start.slice(0, words)) + end);
    },
    batch(operand, argument) {
      const items = itemsOf('batch', operand).map(plain);
      const size = argument(0, 'linecount');
      const fill = argument(1, 'fill_with');
      if (!(size >= 1)) throw new Error('"batch" needs the size of a group');
      const groups = [];
      for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
      if (fill !== undefined) while (groups.at(-1)?.length < size) groups.at(-1).push(fill);
      return wrapped(groups);
    },
    escape: operand => wrapped(textOf(operand).replace(/[&<>"']/g, each => escaped[each])),
    striptags(operand) {
      const text = textOf(operand).replace(/<!--[^]*?-->|<[^>]*>/g, '');
      return wrapped(text.split(/\s+/).join(' ').trim());
    },
    urlencode: operand => wrapped(encodeURIComponent(textOf(operand)).replace(/%2F/g, '/')),
    wordcount: operand => wrapped((textOf(operand).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  };

  const apply = Interpreter.prototype.applyFilter;
  Interpreter.prototype.applyFilter = function (operand, node, environment) {
    const isCall = node.type === 'CallExpression';
    const identifier = isCall ? node.callee : node;
    const filter = Object.hasOwn(filters, identifier.value) ? filters[identifier.value] : undefined;
    if (filter === undefined) return apply.call(this, operand, node, environment);
    if (typeof filter === 'string') {
      const named = { ...identifier, value: filter };
      return this.applyFilter(operand, isCall ? { ...node, callee: named } : named, environment);
    }
    const [places, names] = isCall ? this.evaluateArguments(node.args, environment) : [[], new Map()];
    const argument = (place, name) => {
      const given = names.get(name) ?? places[place];
      return given === undefined || given.type === 'NullValue' ? undefined : plain(given);
    };
    return filter(operand, argument, environment);
  };
}`
