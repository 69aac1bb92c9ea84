// `util.parseArgs`.

const { coded, check, invalidArgValue, received } = require('internal/errors');

module.exports = function parseArgs(config = {}) {
  const {
    args = process.argv.slice(process.execArgv.some((arg) => /^-(e|p|pe|-eval|-print)/.test(arg)) ? 1 : 2),
    options = {},
    strict = true,
    allowPositionals = !strict,
    tokens: wantTokens = false,
    allowNegative = false,
  } = config;
  check.array(args, 'args');
  check.object(options, 'options');
  for (const [name, option] of Object.entries(options)) {
    check.object(option, `options.${name}`);
    if (option.type !== 'string' && option.type !== 'boolean') {
      throw coded(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "options.${name}.type" property must be ('string|boolean').${received(option.type)}`,
      );
    }
    if (Object.hasOwn(option, 'short')) {
      check.string(option.short, `options.${name}.short`);
      if (option.short.length !== 1)
        throw invalidArgValue(`options.${name}.short`, option.short, 'must be a single character');
    }
    if (Object.hasOwn(option, 'multiple')) check.boolean(option.multiple, `options.${name}.multiple`);
    const { default: value } = option;
    if (value !== undefined) {
      const kind = option.type === 'string' ? check.string : check.boolean;
      if (!option.multiple) kind(value, `options.${name}.default`);
      else {
        check.array(value, `options.${name}.default`);
        value.forEach((item, i) => kind(item, `options.${name}.default[${i}]`));
      }
    }
  }
  const values = { __proto__: null };
  const positionals = [];
  const tokens = [];
  const byShort = (letter) => Object.keys(options).find((name) => options[name].short === letter);
  const unknown = (rawName) => {
    const hint =
      allowPositionals && rawName.startsWith('-')
        ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(rawName)}`
        : '';
    throw coded(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'${hint}`);
  };
  const store = (name, value) => {
    if (name === '__proto__') return;
    if (options[name]?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  };
  const option = (name, rawName, value, inline, index) => {
    const shown =
      options[name]?.short && rawName.length === 2
        ? `-${options[name].short}, --${name}`
        : rawName.startsWith('--') && options[name]?.short
          ? `-${options[name].short}, --${name}`
          : `--${name}`;
    if (strict) {
      if (!Object.prototype.hasOwnProperty.call(options, name)) unknown(rawName);
      if (options[name].type === 'string' && typeof value !== 'string')
        throw coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
      if (options[name].type === 'boolean' && value != null)
        throw coded(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
      if (options[name].type === 'string' && !inline && value.startsWith('-') && value.length > 1) {
        throw coded(
          TypeError,
          'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
          `Option '${shown}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use '${rawName.startsWith('--') ? `${rawName}=-XYZ` : `--${name}=-XYZ' or '${rawName}-XYZ`}'.`,
        );
      }
    }
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue: value === undefined ? undefined : inline });
    store(name, value ?? true);
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      tokens.push({ kind: 'option-terminator', index: i });
      for (let k = i + 1; k < args.length; k++) {
        tokens.push({ kind: 'positional', index: k, value: args[k] });
        positionals.push(args[k]);
      }
      break;
    }
    const next = args[i + 1];
    const takes = (name) => options[name]?.type === 'string' && next !== undefined;
    if (/^-[^-]$/.test(arg)) {
      const name = byShort(arg[1]) ?? arg[1];
      option(name, arg, takes(name) ? args[++i] : undefined, false, takes(name) ? i - 1 : i);
    } else if (/^-[^-]./.test(arg)) {
      let k = 1;
      for (; k < arg.length; k++) {
        const name = byShort(arg[k]) ?? arg[k];
        if (options[name]?.type === 'string' && k < arg.length - 1) {
          option(name, `-${arg[k]}`, arg.slice(k + 1), true, i);
          break;
        }
        const value = k === arg.length - 1 && takes(name) ? args[i + 1] : undefined;
        option(name, `-${arg[k]}`, value, false, i);
        if (value !== undefined) i++;
      }
    } else if (arg.startsWith('--') && arg.length > 2) {
      const equals = arg.indexOf('=', 3);
      let name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
      if (allowNegative && name.startsWith('no-') && options[name.slice(3)]?.type === 'boolean' && equals < 0) {
        name = name.slice(3);
        tokens.push({ kind: 'option', name, rawName: arg, index: i, value: undefined, inlineValue: undefined });
        store(name, false);
      } else if (equals >= 0) option(name, `--${name}`, arg.slice(equals + 1), true, i);
      else option(name, `--${name}`, takes(name) ? args[++i] : undefined, false, takes(name) ? i - 1 : i);
    } else {
      if (!allowPositionals)
        throw coded(
          TypeError,
          'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
          `Unexpected argument '${arg}'. This command does not take positional arguments`,
        );
      tokens.push({ kind: 'positional', index: i, value: arg });
      positionals.push(arg);
    }
  }
  for (const [name, { default: value }] of Object.entries(options))
    if (value !== undefined && values[name] === undefined) values[name] = value;
  return wantTokens ? { values, positionals, tokens } : { values, positionals };
};
